import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { addAccount, fromPage, givePassword, openSession, signIn } from '../_accounts.ts'
import { withService, type TestService } from '../_service.ts'
import { SITE } from '../_site.ts'

let service: TestService
let cookie: string

before(async () => {
  service = await withService({ site: SITE })
  const root = { name: 'root', role: 'administrator', userId: null } as const
  cookie = await openSession(service.storage, await addAccount(service.storage, root))
})

after(() => service[Symbol.asyncDispose]())

const send = (method: string, path: string, body?: unknown, by = cookie) =>
  service.call(`/manage/v1/accounts${path}`, fromPage(method, body, by))

const listUsers = (by: string) => service.call('/manage/v1/users', { headers: { cookie: by } })

const create = (name: string, more: object = {}) =>
  send('POST', '', { name, role: 'viewer', userId: 1, ...more })

describe('listSiteUsers', () => {
  test('lists the users of the site file with their structures', async () => {
    const { users } = (await listUsers(cookie)).json()

    assert.deepEqual(
      users.map(({ id, structures }: { id: number; structures: unknown }) => [id, structures]),
      [
        [1, 'all'],
        [2, [2]],
        [3, []],
      ],
    )
    assert.deepEqual(Object.keys(users[0]), ['id', 'name', 'structures'])
  })

  test('is refused to an administrator who does not see every structure', async () => {
    const narrow = { name: 'nina', role: 'administrator', userId: 2 } as const
    const by = await openSession(service.storage, await addAccount(service.storage, narrow))

    assert.equal((await listUsers(by)).status, 403)
  })
})

describe('listAccounts', () => {
  test('lists all accounts by name, without their secrets', async () => {
    await create('zoe')
    await create('anna')

    const listed = await send('GET', '')

    const names: string[] = listed.json().accounts.map(({ name }: { name: string }) => name)
    assert.deepEqual(names, names.toSorted())
    assert.ok(names.includes('anna') && names.includes('zoe') && names.includes('root'))
    assert.doesNotMatch(listed.text, /argon2|secret/i)
  })

  test('is refused to an administrator who does not see every structure', async () => {
    const partial = { name: 'partial', role: 'administrator', userId: 2 } as const
    const own = await openSession(service.storage, await addAccount(service.storage, partial))

    const listed = await send('GET', '', undefined, own)
    const token = await service.issueToken(2, 'admin')
    const byToken = await service.call(`/manage/v1/accounts?token=${token}`)

    assert.deepEqual([listed.status, byToken.status], [403, 403])
  })
})

describe('createAccount', () => {
  test('answers with a link; the account has no password before it is used', async () => {
    const created = await create('Carla', { displayName: 'Carla C.' })

    assert.equal(created.status, 200, created.text)
    const { account, link } = created.json()
    assert.deepEqual([account.name, account.displayName], ['carla', 'Carla C.'])
    assert.ok(link.startsWith(`${service.service.origin}/console/#/welcome/`), link)
    assert.equal((await signIn(service, { name: 'carla', password: '' })).status, 401)
  })

  test('refuses a name that is taken, a user who is not in the site, a viewer without a user', async () => {
    await create('dora')

    const refused = [
      await create('DORA'),
      await create('dirk', { userId: 99 }),
      await create('dirk', { userId: undefined }),
      await create('two words'),
    ]

    assert.deepEqual(
      refused.map(({ status }) => status),
      [400, 400, 400, 400],
    )
  })
})

describe('a display name', () => {
  test('is refused blank, and with characters that nobody sees', async () => {
    for (const displayName of ['  ', 'Anna\u202Enimda', 'a\nb', '\u0007', 'x\u2066y']) {
      const created = await create('shown', { displayName })
      assert.equal(created.status, 400, displayName)
      assert.match(created.json().message, /the display name (is blank|has a control character)/)
    }
  })

  test('is refused so in a change too', async () => {
    const { account } = (await create('shown-later')).json()
    const body = { displayName: 'Anna\u202Enimda', role: 'viewer', userId: 1, isDisabled: false }
    const changed = await send('PUT', `/${account.id}`, body)

    assert.equal(changed.status, 400)
    assert.match(changed.json().message, /the display name has a control character/)
  })

  test('may be in any script', async () => {
    const names = ['Ana Müller-Lindqvist', '王芳 (值班)', 'علي', 'O’Neill']
    for (const [at, displayName] of names.entries()) {
      const created = await create(`shown${at}`, { displayName })
      assert.equal(created.json().account.displayName, displayName)
    }
  })
})

describe('changeAccount', () => {
  test('changes the role at once, and ends the sessions of a disabled account', async () => {
    const { account } = (await create('emil')).json()
    await givePassword(service.storage.accounts, account.id)
    const own = await openSession(service.storage, account.id)
    const change = (more: object) =>
      send('PUT', `/${account.id}`, {
        displayName: 'Emil',
        role: 'viewer',
        userId: 1,
        isDisabled: false,
        ...more,
      })
    const drop = async () =>
      (await service.call('/manage/v1/rejects/drop', fromPage('POST', { ids: [1] }, own))).status

    const asViewer = await drop()
    const changed = await change({ role: 'administrator' })
    const asAdministrator = await drop()
    await change({ isDisabled: true })
    const asDisabled = await drop()
    await change({ isDisabled: false })
    const again = await drop()

    assert.equal(changed.json().role, 'administrator')
    assert.deepEqual([asViewer, asAdministrator, asDisabled, again], [403, 200, 401, 401])
  })

  test('keeps the last account that manages the others', async () => {
    const root = (await service.storage.accounts.findByName('root'))?.id
    const values = { displayName: 'root', role: 'viewer', userId: 1, isDisabled: false }

    const narrowed = await send('PUT', `/${root}`, values)
    const unknown = await send('PUT', '/99999', values)

    assert.equal(narrowed.status, 400)
    assert.match(narrowed.json().message, /the last account/)
    assert.equal(unknown.status, 404)
  })
})

describe('resetAccount', () => {
  test('ends the sessions, removes the password, and answers with a link for a new one', async () => {
    const fred = { name: 'fred', role: 'viewer', userId: 1 } as const
    const id = await addAccount(service.storage, fred)
    const own = await openSession(service.storage, id)

    const reset = await send('POST', `/${id}/reset`)

    assert.match(reset.json().link, /#\/welcome\/[\w-]{43}$/)
    assert.equal(
      (await service.call('/manage/v1/session', { headers: { cookie: own } })).status,
      401,
    )
    assert.equal((await signIn(service, { name: 'fred' })).status, 401)
    const secret = reset.json().link.split('/welcome/')[1]
    const read = await service.call('/manage/v1/invitations/read', fromPage('POST', { secret }))
    assert.deepEqual(read.json(), { purpose: 'reset', name: 'fred' })
  })
})
