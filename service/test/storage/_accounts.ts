import assert from 'node:assert/strict'
import test from 'node:test'
import { AuditChain } from '../../src/domain/access/audit-hash.ts'
import type { NewAuditLine, Storage } from '../../src/storage/storage.ts'
import { bytes, type NewPlace } from './_place.ts'

async function addAccount(storage: Storage, name: string): Promise<number> {
  const account = { name, displayName: `名 ${name}`, role: 'operator', userId: 7 } as const
  const id = await storage.accounts.add({ ...account, createdAt: 1_000 })
  assert.ok(id !== undefined)
  return id
}

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
    const id = await addAccount(storage, 'anna')
    const other = await addAccount(storage, 'berta')
    for (const name of ['kept', 'ended'])
      await storage.sessions.add({ hash: bytes(name), accountId: id, createdAt: 2_000 })
    await storage.sessions.add({ hash: bytes('other'), accountId: other, createdAt: 2_000 })

    await storage.accounts.setPassword(id, 'phc', bytes('kept'), 3_000)

    const isEnded = async (name: string) => (await storage.sessions.find(bytes(name)))?.isEnded
    assert.deepEqual(
      [await isEnded('kept'), await isEnded('ended'), await isEnded('other')],
      [false, true, false],
    )
    const found = await storage.accounts.findByName('anna')
    assert.deepEqual([found?.password, found?.lastSignInAt], ['phc', 2_000])
    await storage.accounts.setPassword(id, 'next', undefined, 3_000)
    assert.equal(await isEnded('kept'), true)
  })

  test('disabling ends the sessions; a role is that of now', async () => {
    await using place = await newPlace()
    const storage = await place.open()
    const id = await addAccount(storage, 'anna')
    await storage.sessions.add({ hash: bytes('s'), accountId: id, createdAt: 2_000 })
    const values = { displayName: 'Anna', role: 'administrator', userId: null } as const

    assert.equal(await storage.accounts.change(id, { ...values, isDisabled: false }, 3_000), true)
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
    const id = await addAccount(storage, 'anna')
    await storage.accounts.setPassword(id, 'phc', undefined, 1)
    await storage.accounts.beginTotp(id, bytes('totp'))
    await storage.accounts.acceptTotp(id, 5)
    await storage.sessions.add({ hash: bytes('s'), accountId: id, createdAt: 2_000 })
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
    const id = await addAccount(storage, 'anna')
    assert.equal(await storage.accounts.acceptTotp(id, 5), false)
    await storage.accounts.beginTotp(id, bytes('totp'))

    const accepted = []
    for (const step of [5, 5, 4, 6]) accepted.push(await storage.accounts.acceptTotp(id, step))

    assert.deepEqual(accepted, [true, false, false, true])
    assert.equal((await storage.accounts.find(id))?.hasTotp, true)
    await storage.accounts.removeTotp(id)
    assert.equal((await storage.accounts.find(id))?.hasTotp, false)
  })

  test('a link is taken once; those of the first administrator are taken together', async () => {
    await using place = await newPlace()
    const storage = await place.open()
    const id = await addAccount(storage, 'anna')
    const first = { purpose: 'first', accountId: null, createdAt: 1, expiresAt: null } as const
    for (const name of ['one', 'two'])
      await storage.accounts.addLink({ hash: bytes(name), ...first })
    const link = { purpose: 'invitation', accountId: id, createdAt: 1, expiresAt: 9 } as const
    await storage.accounts.addLink({ hash: bytes('link'), ...link })

    const found = await storage.accounts.findLink(bytes('link'))
    const taken = await Promise.all(
      ['one', 'two'].map((name) => storage.accounts.takeLink(bytes(name), 'first')),
    )

    assert.deepEqual(
      [found?.purpose, found?.account?.name, found?.expiresAt],
      ['invitation', 'anna', 9],
    )
    assert.deepEqual(taken.toSorted(), [false, true])
    assert.equal(await storage.accounts.takeLink(bytes('link'), 'reset'), false)
    assert.equal(await storage.accounts.takeLink(bytes('link'), 'invitation'), true)
    assert.equal(await storage.accounts.takeLink(bytes('link'), 'invitation'), false)
    await storage.accounts.addLink({ hash: bytes('late'), ...link })
    await storage.accounts.deleteExpiredLinks(10)
    assert.equal(await storage.accounts.findLink(bytes('late')), undefined)
  })

  test('a session remembers when it was used, and is deleted long after', async () => {
    await using place = await newPlace()
    const storage = await place.open()
    const id = await addAccount(storage, 'anna')
    await storage.sessions.add({ hash: bytes('s'), accountId: id, createdAt: 2_000 })

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
