import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { totpCode } from '../../src/domain/access/totp.ts'
import { addAccount, cookieOf, fromPage, openSession, PASSWORD, signIn } from '../_accounts.ts'
import { withService, type HttpResponse, type TestService } from '../_service.ts'
import { SITE } from '../_site.ts'

const NEW_PASSWORD = 'a heron on the pier'

const clock = { now: Date.now() }
let service: TestService

before(async () => {
  service = await withService({ site: SITE, now: () => clock.now })
  await addAccount(service.storage, { name: 'vera', role: 'viewer', userId: 2 })
})

after(() => service[Symbol.asyncDispose]())

const send = (method: string, path: string, cookie?: string, body?: unknown) =>
  service.call(`/manage/v1${path}`, fromPage(method, body, cookie))

const nameOf = ({ status, json }: HttpResponse) => [status, json().name]

/** An account with a session of its own. */
async function enter(name: string): Promise<string> {
  const id = await addAccount(service.storage, { name, role: 'operator', userId: 1 })
  return openSession(service.storage, id, clock.now)
}

describe('signIn', () => {
  test('opens a session, whose cookie reads what the user of the account sees', async () => {
    const answer = await signIn(service, { name: 'Vera' })

    assert.equal(answer.status, 200, answer.text)
    const { account, ...session } = answer.json()
    assert.deepEqual(
      { name: account.name, lastSignInAt: account.lastSignInAt, ...session },
      {
        name: 'vera',
        lastSignInAt: clock.now,
        userId: 2,
        role: 'viewer',
        scope: 'read',
        expiresAt: clock.now + 12 * 3_600_000,
      },
    )
    const structures = await service.call('/api/v1/structures', {
      headers: { cookie: cookieOf(answer) },
    })
    const token = await service.issueToken(2, 'read')
    assert.deepEqual(structures.json(), (await service.get('/structures', token)).json())
  })

  test('answers 401 to a wrong password, an unknown name and a disabled account alike', async () => {
    const id = await addAccount(service.storage, { name: 'gone', role: 'viewer', userId: 1 })
    const values = { displayName: 'gone', role: 'viewer', userId: 1, isDisabled: true } as const
    await service.storage.accounts.change(id, values, clock.now)

    const answers = [
      await signIn(service, { name: 'vera', password: 'wrong wrong wrong' }, '127.0.0.2'),
      await signIn(service, { name: 'nobody' }, '127.0.0.2'),
      await signIn(service, { name: 'gone' }, '127.0.0.2'),
    ]

    for (const { status, text } of answers)
      assert.deepEqual([status, text], [401, answers[0]?.text])
    assert.equal(answers[0]?.json().name, 'SignInError')
  })

  test('a token of the request wins over its cookie', async () => {
    const cookie = cookieOf(await signIn(service, { name: 'vera' }))
    const token = await service.issueToken(1, 'read')

    const both = await service.get('/structures', token, { cookie })
    const wrong = await service.get('/structures', `${token.slice(0, -1)}x`, { cookie })

    assert.deepEqual(both.json(), (await service.get('/structures', token)).json())
    assert.equal(wrong.status, 401)
  })
})

describe('getSession', () => {
  test('shows the session of the cookie, which ends where it is not used', async () => {
    const cookie = cookieOf(await signIn(service, { name: 'vera' }))

    const opened = await send('GET', '/session', cookie)
    clock.now += 11 * 3_600_000
    const used = await send('GET', '/session', cookie)
    clock.now += 11 * 3_600_000
    const again = await send('GET', '/session', cookie)
    clock.now += 12 * 3_600_000
    const late = await send('GET', '/session', cookie)
    clock.now -= 12 * 3_600_000
    const setBack = await send('GET', '/session', cookie)

    assert.equal(opened.json().account.name, 'vera')
    assert.deepEqual(
      [opened, used, again, late, setBack].map(({ status }) => status),
      [200, 200, 200, 401, 401],
    )
    assert.equal((await send('GET', '/session')).json().message, 'Nobody is signed in.')
  })

  test('a session ends after 30 days, however much it is used', async () => {
    const cookie = cookieOf(await signIn(service, { name: 'vera' }))
    const start = clock.now
    const statuses = []

    while (clock.now < start + 30 * 86_400_000) {
      statuses.push((await send('GET', '/session', cookie)).status)
      clock.now += 10 * 3_600_000
    }

    assert.deepEqual(new Set(statuses), new Set([200]))
    assert.equal((await send('GET', '/session', cookie)).status, 401)
  })
})

describe('signOut', () => {
  test('ends the session, and removes its cookie', async () => {
    const cookie = cookieOf(await signIn(service, { name: 'vera' }))

    const out = await send('DELETE', '/session', cookie)

    assert.equal(out.status, 204)
    assert.match(String(out.headers['set-cookie']), /^__Host-plumbline=; .*Max-Age=0$/)
    assert.equal((await send('GET', '/session', cookie)).status, 401)
  })
})

describe('changePassword', () => {
  test('needs the one before, and ends the other sessions of the account', async () => {
    const cookie = await enter('petra')
    const other = cookieOf(await signIn(service, { name: 'petra' }))
    const change = (password: string, newPassword: string) =>
      send('POST', '/session/password', cookie, { password, newPassword })

    const wrong = await change('wrong wrong wrong', NEW_PASSWORD)
    const common = await change(PASSWORD, 'password1234')
    const named = await change(PASSWORD, 'i am petra myself')
    const changed = await change(PASSWORD, NEW_PASSWORD)

    assert.deepEqual(
      [wrong, common, named, changed].map(({ status }) => status),
      [400, 400, 400, 204],
    )
    assert.equal((await send('GET', '/session', cookie)).status, 200)
    assert.equal((await send('GET', '/session', other)).status, 401)
    assert.equal((await signIn(service, { name: 'petra' }, '127.0.0.3')).status, 401)
    const password = NEW_PASSWORD
    assert.equal((await signIn(service, { name: 'petra', password }, '127.0.0.3')).status, 200)
  })
})

/** Sets up an authenticator; returns its secret. */
async function addTotp(cookie: string): Promise<Uint8Array> {
  const begun = await send('POST', '/session/totp', cookie, { password: PASSWORD })
  const { secret, uri } = begun.json()
  assert.match(uri, new RegExp(`^otpauth://totp/.*secret=${secret}`))
  return fromBase32(secret)
}

function fromBase32(text: string): Uint8Array {
  const bits = Array.from(text, (letter) =>
    'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'.indexOf(letter).toString(2).padStart(5, '0'),
  ).join('')
  return Uint8Array.from(bits.match(/.{8}/g) ?? [], (byte) => Number.parseInt(byte, 2))
}

const codeNow = (secret: Uint8Array) => totpCode(secret, Math.floor(clock.now / 30_000))

describe('beginTotp', () => {
  test('needs the password, and asks for no code before one was confirmed', async () => {
    const cookie = await enter('tim')

    const wrong = await send('POST', '/session/totp', cookie, { password: 'wrong wrong wrong' })
    await addTotp(cookie)

    assert.equal(wrong.status, 400)
    assert.equal((await signIn(service, { name: 'tim' })).status, 200)
  })
})

describe('confirmTotp', () => {
  test('makes signing in ask for a code, which is accepted once', async () => {
    const cookie = await enter('tara')
    const secret = await addTotp(cookie)
    const confirm = (code: string) => send('POST', '/session/totp/confirm', cookie, { code })

    assert.equal((await confirm('000000')).status, 400)
    assert.equal((await confirm(codeNow(secret))).status, 204)
    clock.now += 60_000
    const code = codeNow(secret)
    const without = await signIn(service, { name: 'tara' }, '127.0.0.4')
    const wrongPassword = await signIn(
      service,
      { name: 'tara', password: 'wrong wrong wrong', code },
      '127.0.0.4',
    )
    const right = await signIn(service, { name: 'tara', code }, '127.0.0.4')
    const twice = await signIn(service, { name: 'tara', code }, '127.0.0.4')

    assert.deepEqual(nameOf(without), [401, 'CodeRequired'])
    assert.deepEqual(nameOf(wrongPassword), [401, 'SignInError'])
    assert.equal(right.status, 200)
    assert.equal(right.json().account.hasTotp, true)
    assert.deepEqual(nameOf(twice), [401, 'SignInError'])
    assert.equal((await send('POST', '/session/totp', cookie, { password: PASSWORD })).status, 400)
  })
})

describe('removeTotp', () => {
  test('needs the password; after it no code is asked for', async () => {
    const cookie = await enter('toni')
    await send('POST', '/session/totp/confirm', cookie, { code: codeNow(await addTotp(cookie)) })
    const remove = (password: string) => send('POST', '/session/totp/remove', cookie, { password })

    assert.equal((await remove('wrong wrong wrong')).status, 400)
    assert.deepEqual(nameOf(await signIn(service, { name: 'toni' })), [401, 'CodeRequired'])
    assert.equal((await remove(PASSWORD)).status, 204)
    assert.equal((await signIn(service, { name: 'toni' })).status, 200)
  })
})

/** The secret of the link of a new account. */
async function invite(name: string): Promise<string> {
  const id = await addAccount(service.storage, {
    name: `boss-of-${name}`,
    role: 'administrator',
    userId: null,
  })
  const created = await send(
    'POST',
    '/accounts',
    await openSession(service.storage, id, clock.now),
    {
      name,
      role: 'viewer',
      userId: 1,
    },
  )
  assert.equal(created.status, 200, created.text)
  return created.json().link.split('#/welcome/')[1]
}

const read = (text: string) => send('POST', '/invitations/read', undefined, { secret: text })

describe('readInvitation', () => {
  test('says for whom a link is, and takes it not', async () => {
    const secret = await invite('ines')

    assert.deepEqual((await read(secret)).json(), { purpose: 'invitation', name: 'ines' })
    assert.deepEqual((await read(secret)).json(), { purpose: 'invitation', name: 'ines' })
    assert.match((await read(`${secret}x`)).json().message, /the link is not valid/)
  })
})

test('wrong links and wrong passwords of one address do not count together', async () => {
  const from = '127.0.0.9'
  const tryLink = () =>
    service.call('/manage/v1/invitations/read', {
      ...fromPage('POST', { secret: 'x'.repeat(43) }),
      localAddress: from,
    })
  let last = await tryLink()
  for (let n = 0; n < 20 && last.status !== 429; n++) last = await tryLink()

  assert.equal(last.status, 429)
  assert.equal((await signIn(service, { name: 'vera' }, from)).status, 200)
  assert.equal(
    (await signIn(service, { name: 'vera', password: 'wrong wrong wrong' }, from)).status,
    401,
  )
})

describe('acceptInvitation', () => {
  test('sets the password once, and signs in', async () => {
    const secret = await invite('ivo')
    const accept = (password: string) =>
      send('POST', '/invitations/accept', undefined, { secret, password })

    const weak = await accept('ivo ivo ivo ivo')
    const accepted = await accept(NEW_PASSWORD)
    const twice = await accept(NEW_PASSWORD)

    assert.deepEqual(
      [weak, accepted, twice].map(({ status }) => status),
      [400, 200, 400],
    )
    assert.equal((await send('GET', '/session', cookieOf(accepted))).json().account.name, 'ivo')
    assert.equal((await signIn(service, { name: 'ivo', password: NEW_PASSWORD })).status, 200)
  })

  test('a link of 72 hours ago is not valid', async () => {
    const secret = await invite('late')
    clock.now += 72 * 3_600_000

    const answer = await send('POST', '/invitations/accept', undefined, {
      secret,
      password: NEW_PASSWORD,
    })

    assert.equal(answer.status, 400)
  })
})
