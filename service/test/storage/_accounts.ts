import assert from 'node:assert/strict'
import test from 'node:test'
import { AuditChain } from '../../src/domain/access/audit-hash.ts'
import type { CheckedAccount, NewAuditLine, Storage } from '../../src/storage/storage.ts'
import { bytes, type NewPlace } from './_place.ts'

async function addAccount(storage: Storage, name: string): Promise<number> {
  const account = { name, displayName: `名 ${name}`, role: 'operator', userId: 7 } as const
  const id = await storage.accounts.add({ ...account, createdAt: 1_000 })
  assert.ok(id !== undefined)
  return id
}

/** An account with the password `phc`, as it is after that was compared. */
async function addChecked(storage: Storage, name: string): Promise<CheckedAccount> {
  const id = await addAccount(storage, name)
  await storage.accounts.setPassword(id, 'phc', 1_500)
  return { id, password: 'phc', isTotpConfirmed: false }
}

/** Adds a session of an account by a short name in place of its hash. */
const addSession = ({ sessions }: Storage, name: string, checked: CheckedAccount) =>
  sessions.add({ hash: bytes(name), checked, createdAt: 2_000 })

const disabled = {
  displayName: 'Anna',
  role: 'operator',
  userId: 7,
  isDisabled: true,
} as const

export function accountFacts(newPlace: NewPlace): void {
  test('an account is found by its name and number, and a name belongs to one', async () => {
    await using place = await newPlace()
    const storage = await place.open()
    const id = await addAccount(storage, 'berta')
    await addAccount(storage, 'anna')

    const found = await storage.accounts.findByName('berta')

    const expected = {
      id,
      name: 'berta',
      displayName: '名 berta',
      role: 'operator',
      userId: 7,
      hasTotp: false,
      isDisabled: false,
      createdAt: 1_000,
      lastSignInAt: null,
    }
    assert.deepEqual(await storage.accounts.find(id), expected)
    assert.deepEqual(found, {
      ...expected,
      password: null,
      totpSecret: null,
      isTotpConfirmed: false,
      totpStep: 0,
    })
    assert.equal(await storage.accounts.findByName('Berta'), undefined)
    assert.equal(await storage.accounts.find(id + 9), undefined)
    const names = (await storage.accounts.list()).map(({ name }) => name)
    assert.deepEqual(names, ['anna', 'berta'])
    const again = {
      name: 'anna',
      displayName: '',
      role: 'viewer',
      userId: 1,
      createdAt: 1,
    } as const
    assert.equal(await storage.accounts.add(again), undefined)
  })

  test('a new password ends every session of its account but the one that is kept', async () => {
    await using place = await newPlace()
    const storage = await place.open()
    const anna = await addChecked(storage, 'anna')
    const other = await addChecked(storage, 'berta')
    for (const name of ['kept', 'ended']) await addSession(storage, name, anna)
    await addSession(storage, 'other', other)
    const change = (checked: CheckedAccount, password: string, keep: string) =>
      storage.accounts.changePassword(checked, password, { keep: bytes(keep), now: 3_000 })

    const isChanged = await change(anna, 'next', 'kept')

    const isEnded = async (name: string) => (await storage.sessions.find(bytes(name)))?.isEnded
    assert.equal(isChanged, true)
    assert.deepEqual(
      [await isEnded('kept'), await isEnded('ended'), await isEnded('other')],
      [false, true, false],
    )
    const found = await storage.accounts.findByName('anna')
    assert.deepEqual([found?.password, found?.lastSignInAt], ['next', 2_000])
    assert.equal(await change(anna, 'late', 'kept'), false)
    assert.equal(await change({ ...anna, password: 'next' }, 'late', 'ended'), false)
    assert.equal((await storage.accounts.findByName('anna'))?.password, 'next')
    await storage.accounts.setPassword(anna.id, 'last', 3_000)
    assert.equal(await isEnded('kept'), true)
  })

  test('what rests on a password that was checked is refused once the account has changed', async () => {
    await using place = await newPlace()
    const storage = await place.open()
    const { accounts } = storage
    const changes: Record<string, (id: number) => Promise<unknown>> = {
      'a new password': (id) => accounts.setPassword(id, 'next', 3_000),
      'a reset': (id) => accounts.reset(id, 3_000),
      disabling: (id) => accounts.change(id, disabled, 3_000),
      'an authenticator': async (id) => {
        await accounts.beginTotp({ id, password: 'phc', isTotpConfirmed: false }, bytes('totp'))
        await accounts.acceptTotp(id, bytes('totp'), 5)
      },
    }

    for (const [what, change] of Object.entries(changes)) {
      const checked = await addChecked(storage, what)
      assert.equal(await addSession(storage, `before ${what}`, checked), true, what)
      await change(checked.id)
      const before = await accounts.findByName(what)

      const done = [
        await addSession(storage, what, checked),
        await accounts.changePassword(checked, 'late', {
          keep: bytes(`before ${what}`),
          now: 4_000,
        }),
        await accounts.beginTotp(checked, bytes('late')),
        await accounts.removeTotp(checked),
      ]

      assert.deepEqual(done, [false, false, false, false], what)
      assert.deepEqual(await accounts.findByName(what), before, what)
      assert.equal(await storage.sessions.find(bytes(what)), undefined, what)
    }
  })

  test('a sign-in and a reset at once leave no session', async () => {
    await using place = await newPlace()
    const [one, other] = [await place.open(), await place.open()]

    for (let round = 0; round < 10; round++) {
      const checked = await addChecked(one, `anna-${round}`)
      await Promise.all([
        addSession(one, `s${round}`, checked),
        other.accounts.reset(checked.id, 3_000),
      ])

      const session = await one.sessions.find(bytes(`s${round}`))
      assert.ok(session === undefined || session.isEnded, `round ${round}`)
    }
  })

  test('two administrators who narrow each other at once leave one', async () => {
    await using place = await newPlace()
    const [one, other] = [await place.open(), await place.open()]
    const values = {
      displayName: '',
      role: 'administrator',
      userId: null,
      isDisabled: false,
    } as const
    const ids = []
    for (const name of ['anna', 'berta']) {
      const id = await addAccount(one, name)
      assert.equal(await one.accounts.change(id, values, 2_000), true)
      ids.push(id)
    }
    const [anna = 0, berta = 0] = ids

    for (let round = 0; round < 10; round++) {
      const changed = await Promise.all([
        one.accounts.change(anna, { ...values, userId: 7 }, 3_000),
        other.accounts.change(berta, { ...values, userId: 7 }, 3_000),
      ])

      assert.deepEqual(changed.toSorted(), [false, true], `round ${round}`)
      for (const id of ids) await one.accounts.change(id, values, 4_000)
    }
    assert.equal(await one.accounts.change(anna, { ...values, isDisabled: true }, 5_000), true)
    assert.equal(await one.accounts.change(berta, { ...values, role: 'viewer' }, 5_000), false)
    assert.equal(await one.accounts.change(berta, { ...values, displayName: 'B' }, 5_000), true)
  })

  test('disabling ends the sessions; a role is that of now', async () => {
    await using place = await newPlace()
    const storage = await place.open()
    const anna = await addChecked(storage, 'anna')
    const { id } = anna
    await addSession(storage, 's', anna)
    const boss = await addAccount(storage, 'boss')
    const values = { displayName: 'Anna', role: 'administrator', userId: null } as const

    for (const one of [id, boss])
      assert.equal(
        await storage.accounts.change(one, { ...values, isDisabled: false }, 3_000),
        true,
      )
    const before = await storage.sessions.find(bytes('s'))
    assert.equal(await storage.accounts.change(id, { ...values, isDisabled: true }, 3_000), true)
    const after = await storage.sessions.find(bytes('s'))

    assert.deepEqual([before?.isEnded, before?.account.role], [false, 'administrator'])
    assert.deepEqual([after?.isEnded, after?.account.isDisabled], [true, true])
    assert.equal(await storage.accounts.change(99, { ...values, isDisabled: true }, 3_000), false)
  })

  test('a reset removes password, authenticator, sessions and links', async () => {
    await using place = await newPlace()
    const storage = await place.open()
    const anna = await addChecked(storage, 'anna')
    const { id } = anna
    await storage.accounts.beginTotp(anna, bytes('totp'))
    await storage.accounts.acceptTotp(id, bytes('totp'), 5)
    await addSession(storage, 's', { ...anna, isTotpConfirmed: true })
    const link = { purpose: 'reset', accountId: id, createdAt: 1, expiresAt: 9 } as const
    await storage.accounts.addLink({ hash: bytes('link'), ...link })

    await storage.accounts.reset(id, 3_000)

    const found = await storage.accounts.findByName('anna')
    assert.deepEqual([found?.password, found?.totpSecret, found?.hasTotp], [null, null, false])
    assert.equal((await storage.sessions.find(bytes('s')))?.isEnded, true)
    assert.equal(await storage.accounts.findLink(bytes('link')), undefined)
  })

  test('the code of a time step is accepted once, and none before it', async () => {
    await using place = await newPlace()
    const storage = await place.open()
    const anna = await addChecked(storage, 'anna')
    const { id } = anna
    const accept = (step: number, secret = 'totp') =>
      storage.accounts.acceptTotp(id, bytes(secret), step)
    assert.equal(await accept(5), false)
    assert.equal(await storage.accounts.beginTotp(anna, bytes('totp')), true)

    const accepted = [await accept(5, 'other')]
    for (const step of [5, 5, 4, 6]) accepted.push(await accept(step))

    assert.deepEqual(accepted, [false, true, false, false, true])
    assert.equal((await storage.accounts.find(id))?.hasTotp, true)
    const confirmed = { ...anna, isTotpConfirmed: true }
    assert.equal(await storage.accounts.beginTotp(confirmed, bytes('next')), false)
    assert.equal(await storage.accounts.removeTotp(confirmed), true)
    assert.equal((await storage.accounts.find(id))?.hasTotp, false)
  })

  test('a link sets a password once, and none after a reset or disabling', async () => {
    await using place = await newPlace()
    const storage = await place.open()
    const { accounts } = storage
    const anna = await addChecked(storage, 'anna')
    await addSession(storage, 's', anna)
    const add = (name: string) =>
      accounts.addLink({
        hash: bytes(name),
        purpose: 'invitation',
        accountId: anna.id,
        createdAt: 1,
        expiresAt: 9,
      })
    const accept = (name: string, accountId = anna.id) =>
      accounts.acceptLink(bytes(name), { accountId, password: `of ${name}`, now: 3_000 })
    await add('link')

    const found = await accounts.findLink(bytes('link'))
    const isForOther = await accept('link', anna.id + 1)
    const accepted = await Promise.all([accept('link'), accept('link')])

    assert.deepEqual(
      [found?.purpose, found?.account?.name, found?.expiresAt],
      ['invitation', 'anna', 9],
    )
    assert.deepEqual([isForOther, ...accepted.toSorted()], [false, false, true])
    assert.equal((await accounts.findByName('anna'))?.password, 'of link')
    assert.equal((await storage.sessions.find(bytes('s')))?.isEnded, true)
    await add('before reset')
    await accounts.reset(anna.id, 3_000)
    assert.equal(await accept('before reset'), false)
    await add('disabled')
    await accounts.change(anna.id, disabled, 3_000)
    assert.equal(await accept('disabled'), false)
    assert.equal((await accounts.findByName('anna'))?.password, null)
    await accounts.deleteExpiredLinks(10)
    assert.equal(await accounts.findLink(bytes('disabled')), undefined)
  })

  test('of the links of the first administrator the newest holds, and makes one account', async () => {
    await using place = await newPlace()
    const { accounts } = await place.open()
    const first = { purpose: 'first', accountId: null, createdAt: 1, expiresAt: null } as const
    for (const name of ['one', 'two']) await accounts.addLink({ hash: bytes(name), ...first })
    const accept = (link: string, name: string) =>
      accounts.acceptFirstLink(bytes(link), {
        name,
        displayName: name,
        role: 'administrator',
        userId: null,
        password: 'phc',
        createdAt: 1_000,
      })

    const earlier = await accept('one', 'anna')
    const both = await Promise.all([accept('two', 'berta'), accept('two', 'carla')])

    assert.equal(earlier, undefined)
    assert.equal(both.filter((id) => id !== undefined).length, 1)
    const [account, ...others] = await accounts.list()
    assert.deepEqual([account?.role, others], ['administrator', []])
    assert.equal((await accounts.findByName(account?.name ?? ''))?.password, 'phc')
    await accounts.addLink({ hash: bytes('three'), ...first })
    assert.equal(await accept('three', account?.name ?? ''), undefined)
  })

  test('a session remembers when it was used, and is deleted long after', async () => {
    await using place = await newPlace()
    const storage = await place.open()
    await addSession(storage, 's', await addChecked(storage, 'anna'))

    await storage.sessions.use(bytes('s'), 5_000)
    const used = await storage.sessions.find(bytes('s'))
    await storage.sessions.end(bytes('s'), 6_000)

    assert.deepEqual([used?.createdAt, used?.usedAt, used?.isEnded], [2_000, 5_000, false])
    assert.equal((await storage.sessions.find(bytes('s')))?.isEnded, true)
    assert.equal(await storage.sessions.find(bytes('x')), undefined)
    assert.equal(await storage.sessions.deleteUnused(5_000), 0)
    assert.equal(await storage.sessions.deleteUnused(5_001), 1)
  })
}

const line = (operation: string, more: Partial<NewAuditLine> = {}): NewAuditLine => ({
  at: 1_000,
  who: { kind: 'account', name: 'anna' },
  address: '127.0.0.1',
  operation,
  target: 'stationId=1001',
  before: null,
  after: { comment: 'a\0b', 2: 'x', 1: [1.5, null] },
  outcome: 'done',
  ...more,
})

const problemOf = async ({ audit }: Storage): Promise<string | undefined> => {
  const chain = new AuditChain()
  const problems = (await audit.from(1, 1_000)).map((one) => chain.follow(one))
  return problems.find((problem) => problem !== undefined)
}

export function auditFacts(newPlace: NewPlace): void {
  test('lines are numbered in a row, by several programs at once, and their chain is whole', async () => {
    await using place = await newPlace()
    const [one, other] = [await place.open(), await place.open()]

    await Promise.all(
      Array.from({ length: 24 }, (_, at) =>
        (at % 2 === 0 ? one : other).audit.append(line(`change ${at}`, { target: 'a\0b' })),
      ),
    )

    const stored = await one.audit.from(1, 100)
    assert.deepEqual(
      stored.map(({ seq }) => seq),
      Array.from({ length: 24 }, (_, at) => at + 1),
    )
    assert.equal(new Set(stored.map(({ operation }) => operation)).size, 24)
    assert.equal(await problemOf(other), undefined)
  })

  test('a change that was noted leaves one line, or one with an unknown outcome', async () => {
    await using place = await newPlace()
    const storage = await place.open()
    const { outcome: _, ...begun } = line('import')
    await storage.audit.begin('finished', begun)
    await storage.audit.begin('broken off', { ...begun, at: 2_000 })
    await storage.audit.append(line('import'), 'finished')

    assert.equal(await storage.audit.closeAbandoned(2_000), 0)
    assert.equal(await storage.audit.closeAbandoned(2_001), 1)
    assert.equal(await storage.audit.closeAbandoned(2_001), 0)

    const outcomes = (await storage.audit.from(1, 9)).map(({ outcome }) => outcome)
    assert.deepEqual(outcomes, ['done', 'unknown'])
    assert.equal(await problemOf(storage), undefined)
  })

  test('lines are listed newest first, by time, person, operation and part of the target', async () => {
    await using place = await newPlace()
    const storage = await place.open()
    await storage.audit.append(line('a', { at: 1, target: 'stationId=1' }))
    await storage.audit.append(
      line('b', { at: 2, target: 'station%Id', who: { kind: 'command', name: 'root' } }),
    )
    await storage.audit.append(line('a', { at: 3, target: null }))
    const list = async (query: object) =>
      (await storage.audit.list({ limit: 9, ...query })).map(({ seq }) => seq)

    assert.deepEqual(await list({}), [3, 2, 1])
    assert.deepEqual(await list({ limit: 1, before: 3 }), [2])
    assert.deepEqual(await list({ startTime: 2, endTime: 2 }), [2])
    assert.deepEqual(await list({ who: 'root' }), [2])
    assert.deepEqual(await list({ operation: 'a' }), [3, 1])
    assert.deepEqual(await list({ target: 'Id=' }), [1])
    assert.deepEqual(await list({ target: '%' }), [2])
    assert.deepEqual(
      await storage.audit.from(2, 1),
      await storage.audit.list({ before: 3, limit: 1 }),
    )
  })
}
