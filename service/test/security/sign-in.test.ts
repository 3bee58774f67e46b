import assert from 'node:assert/strict'
import { request } from 'node:https'
import { after, before, describe, test } from 'node:test'
import { totpCode } from '../../src/domain/access/totp.ts'
import {
  addAccount,
  checkedOf,
  cookieOf,
  fromPage,
  givePassword,
  openSession,
  PASSWORD,
  signIn,
} from '../_accounts.ts'
import { withService, type TestService } from '../_service.ts'
import { SITE } from '../_site.ts'

const WRONG = 'wrong wrong wrong'

let service: TestService
let anna: number

before(async () => {
  service = await withService({ site: SITE })
  anna = await addAccount(service.storage, { name: 'anna', role: 'administrator', userId: null })
  await addAccount(service.storage, { name: 'boss', role: 'administrator', userId: null })
})

after(() => service[Symbol.asyncDispose]())

const eventsOf = (name: string) =>
  service.logged.filter((line) => (JSON.parse(line) as { event?: string }).event === name)

describe('the cookie of a session', () => {
  test('is for this host only, over HTTPS, and out of reach of scripts', async () => {
    const [cookie = ''] = [(await signIn(service, { name: 'anna' })).headers['set-cookie']].flat()

    const [value, ...attributes] = cookie?.split('; ') ?? []
    assert.match(value ?? '', /^__Host-plumbline=[\w-]{43}$/)
    assert.deepEqual(attributes.toSorted(), [
      'HttpOnly',
      'Max-Age=2592000',
      'Path=/',
      'SameSite=Strict',
      'Secure',
    ])
  })

  test('is a new one at each sign-in: one that an attacker planted opens nothing', async () => {
    const planted = `__Host-plumbline=${'A'.repeat(43)}`
    const body = { name: 'anna', password: PASSWORD }

    const answer = await service.call('/manage/v1/session', fromPage('POST', body, planted))
    const withPlanted = await service.call('/manage/v1/session', { headers: { cookie: planted } })

    assert.equal(answer.status, 200)
    assert.notEqual(cookieOf(answer), planted)
    assert.equal(withPlanted.status, 401)
  })

  test('is in no log, and so are passwords', async () => {
    const cookie = cookieOf(await signIn(service, { name: 'anna' }))
    await service.call('/api/v1/structures', { headers: { cookie } })

    const logged = service.logged.join('')
    assert.ok(!logged.includes(cookie.split('=')[1] ?? ''))
    assert.ok(!logged.includes(PASSWORD))
    assert.ok(eventsOf('security.sign-in').length > 0)
  })
})

const change = async (headers: Record<string, string>) => {
  const cookie = await openSession(service.storage, anna)
  const call = { method: 'POST', headers: { cookie, ...headers }, body: '{"ids":[1]}' }
  const type = { 'content-type': 'application/json' }
  return service.call('/manage/v1/rejects/drop', {
    ...call,
    headers: { ...type, ...call.headers },
  })
}

describe('a page of another site', () => {
  test('changes nothing with the cookie', async () => {
    for (const headers of [
      {},
      { 'sec-fetch-site': 'cross-site' },
      { 'sec-fetch-site': 'same-site' },
      { origin: 'https://evil.example' },
      { origin: 'null' },
    ])
      assert.equal((await change(headers)).status, 403, JSON.stringify(headers))
    assert.equal((await change({ origin: service.service.origin })).status, 200)
    assert.equal((await change({ 'sec-fetch-site': 'same-origin' })).status, 200)
  })

  test('reads nothing with the cookie, on the fast path either, and signs nobody in', async () => {
    const cookie = await openSession(service.storage, anna)
    const paths = ['/structures', '/stations/theme/data?stations=1001&limit=1']
    const foreign = { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'cors' }

    for (const path of paths) {
      const own = await service.call(`/api/v1${path}`, { headers: { cookie } })
      const other = await service.call(`/api/v1${path}`, { headers: { cookie, ...foreign } })
      assert.deepEqual([own.status, other.status], [200, 403], path)
    }
    const body = { name: 'anna', password: PASSWORD }
    const call = fromPage('POST', body)
    const entered = await service.call('/manage/v1/session', {
      ...call,
      headers: { ...call.headers, ...foreign },
    })
    assert.deepEqual([entered.status, entered.headers['set-cookie']], [403, undefined])
  })
})

const timed = async (name: string, at: number) => {
  const start = performance.now()
  await signIn(service, { name, password: WRONG }, `127.0.0.${at}`)
  return performance.now() - start
}

describe('guessing passwords', () => {
  test('an address waits after ten wrong ones, with the right one too; others sign in', async () => {
    const guess = () => signIn(service, { name: 'anna', password: WRONG }, '127.0.0.5')
    const statuses = []
    for (let n = 0; n < 10; n++) statuses.push((await guess()).status)

    const eleventh = await guess()
    const right = await signIn(service, { name: 'anna' }, '127.0.0.5')
    const elsewhere = await signIn(service, { name: 'anna' }, '127.0.0.6')

    assert.deepEqual(new Set(statuses), new Set([401]))
    assert.equal(eleventh.status, 429)
    assert.ok(Number(eleventh.headers['retry-after']) > 0)
    assert.deepEqual([right.status, elsewhere.status], [429, 200])
    assert.ok(eventsOf('security.sign-in-failed').length > 0)
  })

  test('an unknown name takes as long as a wrong password', async () => {
    const known = []
    const unknown = []
    for (let n = 0; n < 7; n++) {
      known.push(await timed('anna', 20 + n))
      unknown.push(await timed('nobody', 40 + n))
    }

    const ratio = Math.min(...unknown) / Math.min(...known)
    // Without a hash it would be some fifty times quicker.
    assert.ok(ratio > 0.25 && ratio < 4, `${ratio}`)
  })
})

const statusesOf = async (sent: readonly Promise<{ status: number }>[]) =>
  (await Promise.all(sent)).map(({ status }) => status)

/** Limits fall with time: here none passes. */
const NOW = Date.now()
let held: TestService

const guessAtOnce = (password = WRONG) => signIn(held, { name: 'anna', password }, '127.0.0.70')

const enter = (name: string, at: string, code?: string) =>
  signIn(held, { name, ...(code !== undefined && { code }) }, `127.0.${at}`)

describe('limits at a moment that lasts', () => {
  before(async () => {
    held = await withService({ site: SITE, now: () => NOW })
    for (const name of ['anna', 'boss', 'crowded', 'coded'])
      await addAccount(held.storage, { name, role: 'viewer', userId: 1 })
  })
  after(() => held[Symbol.asyncDispose]())

  test('a right password waits too where those that were sent before it were wrong', async () => {
    for (let n = 0; n < 6; n++) await guessAtOnce()

    const before = Array.from({ length: 7 }, () => guessAtOnce())
    await new Promise((resolve) => setTimeout(resolve, 20))
    const right = await guessAtOnce(PASSWORD)

    assert.equal(right.status, 429)
    assert.ok((await statusesOf(before)).includes(429))
  })

  test('what one address sends at once leaves room for the others', async () => {
    const crowd = Array.from({ length: 60 }, () => enter('anna', '0.71'))
    const other = await enter('boss', '0.72')

    assert.equal(other.status, 200)
    assert.deepEqual(new Set(await statusesOf(crowd)), new Set([200, 429]))
  })

  test('right passwords wait after sixty of an address in a minute, there only', async () => {
    let count = 0
    while ((await enter('crowded', '0.73')).status === 200) count++

    assert.equal(count, 60)
    assert.equal((await enter('crowded', '0.74')).status, 200)
  })

  test('codes after a right password are guessed ten times in a minute, from all addresses', async () => {
    const { accounts } = held.storage
    const checked = await checkedOf(accounts, 'coded')
    const secret = new Uint8Array(20).fill(7)
    await accounts.beginTotp(checked, secret)
    assert.ok(await accounts.acceptTotp(checked.id, secret, 1))
    const statuses = []
    for (let n = 0; n < 10; n++)
      statuses.push((await enter('coded', `1.${n + 1}`, '000000')).status)

    const right = totpCode(secret, Math.floor(NOW / 30_000))
    const eleventh = await enter('coded', '1.30', right)

    assert.deepEqual(new Set(statuses), new Set([401]))
    assert.equal(eleventh.status, 429)
    assert.ok(Number(eleventh.headers['retry-after']) > 0)
  })
})

describe('what is under way', () => {
  const endings = {
    'signing out': (cookie: string) =>
      service.call('/manage/v1/session', fromPage('DELETE', undefined, cookie)),
    'a reset of the account': () => service.storage.accounts.reset(anna, Date.now()),
    'disabling the account': () =>
      service.storage.accounts.change(
        anna,
        { displayName: 'anna', role: 'administrator', userId: null, isDisabled: true },
        Date.now(),
      ),
  }

  for (const [name, end] of Object.entries(endings))
    test(`ends within a second after ${name}`, async () => {
      await givePassword(service.storage.accounts, anna)
      const cookie = await openSession(service.storage, anna)
      const sent = request(`${service.service.origin}/manage/v1/rejects/drop`, {
        method: 'POST',
        ca: service.certificate,
        agent: false,
        headers: { cookie, 'sec-fetch-site': 'same-origin', 'content-type': 'application/json' },
      })
      const ended = new Promise<string>((resolve) => {
        sent.on('error', () => resolve('cut off'))
        sent.on('response', ({ statusCode }) => resolve(`answered ${statusCode}`))
      })
      sent.write('{"ids":[')
      await new Promise((resolve) => setTimeout(resolve, 200))

      const start = performance.now()
      await end(cookie)

      assert.equal(await ended, 'cut off')
      assert.ok(performance.now() - start < 2000)
    })
})
