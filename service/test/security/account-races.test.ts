import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { addAccount, cookieOf, fromPage, openSession, PASSWORD, signIn } from '../_accounts.ts'
import { withService, type HttpResponse, type TestService } from '../_service.ts'
import { SITE } from '../_site.ts'

const THIEF_PASSWORD = 'a lantern below the arch'

let service: TestService
let names = 0

before(async () => {
  service = await withService({ site: SITE })
})

after(() => service[Symbol.asyncDispose]())

type Person = { id: number; name: string; cookie: string }

async function enter(): Promise<Person> {
  const name = `person-${++names}`
  const id = await addAccount(service.storage, { name, role: 'viewer', userId: 2 })
  return { id, name, cookie: await openSession(service.storage, id) }
}

const send = (method: string, path: string, cookie: string, body?: unknown) =>
  service.call(`/manage/v1${path}`, fromPage(method, body, cookie))

/** The sign-ins wait for each other, so that some end long after the change of the account. */
const signInOften = ({ name }: Person): Promise<HttpResponse>[] =>
  Array.from({ length: 6 }, (_, at) => signIn(service, { name }, `127.0.2.${at + 1}`))

const setDisabled = ({ id, name }: Person, isDisabled: boolean) =>
  service.storage.accounts.change(
    id,
    { displayName: name, role: 'viewer', userId: 2, isDisabled },
    Date.now(),
  )

describe('a sign-in under way', () => {
  const endings: Record<string, (person: Person) => Promise<unknown>> = {
    'a reset': ({ id }) => service.storage.accounts.reset(id, Date.now()),
    disabling: async (person) => {
      await setDisabled(person, true)
      await wait(300)
      return setDisabled(person, false)
    },
    'a new password': ({ id }) => service.storage.accounts.setPassword(id, 'another', Date.now()),
  }

  for (const [what, end] of Object.entries(endings))
    test(`opens no session that outlives ${what}`, async () => {
      const person = await enter()
      const underWay = signInOften(person)
      // By then the service has them all, also where the machine is slow.
      await Promise.race(underWay)

      await end(person)

      for (const answer of await Promise.all(underWay)) {
        if (answer.status !== 200) continue
        const session = await send('GET', '/session', cookieOf(answer))
        assert.equal(session.status, 401, `${what}: ${session.text}`)
      }
    })
})

/** The requests take two hashes each, and the account is reset meanwhile. */
async function whileReset(person: Person, requests: () => Promise<unknown>[]): Promise<void> {
  const underWay = Promise.allSettled(requests())
  await wait(60)
  await service.storage.accounts.reset(person.id, Date.now())
  await underWay
  await wait(300)
}

describe('a change of an account by itself that is under way', () => {
  test('sets no password after a reset', async () => {
    const person = await enter()
    const body = { password: PASSWORD, newPassword: THIEF_PASSWORD }

    await whileReset(person, () => [
      ...signInOften(person),
      send('POST', '/session/password', person.cookie, body),
    ])

    const { password } = (await service.storage.accounts.findByName(person.name)) ?? {}
    assert.equal(password, null)
    const entered = await signIn(service, { name: person.name, password: THIEF_PASSWORD })
    assert.equal(entered.status, 401)
  })

  test('begins no authenticator after a reset', async () => {
    const person = await enter()

    await whileReset(person, () => [
      ...signInOften(person),
      send('POST', '/session/totp', person.cookie, { password: PASSWORD }),
    ])

    const { totpSecret } = (await service.storage.accounts.findByName(person.name)) ?? {}
    assert.equal(totpSecret, null)
  })
})
