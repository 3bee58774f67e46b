import assert from 'node:assert/strict'
import test from 'node:test'
import type { Storage } from '../../src/storage/storage.ts'
import { bytes, type NewPlace } from './_place.ts'

const addApplication = (storage: Storage, id: string, userId = 1, createdAt = 1_000) =>
  storage.applications.add(
    { id, userId, name: `名 ${id}`, scope: 'read', createdAt },
    bytes(`secret ${id}`),
  )

const addToken = (storage: Storage, name: string, applicationId: string, expiresAt = 9_000) =>
  storage.tokens.add({ hash: bytes(name), applicationId, issuedAt: 1_000, expiresAt })

export function applicationFacts(newPlace: NewPlace): void {
  test('an application is found by its id until it is revoked', async () => {
    await using place = await newPlace()
    const storage = await place.open()
    await addApplication(storage, 'b', 7, 2_000)
    await addApplication(storage, 'a', 8, 2_000)
    await addApplication(storage, 'c', 9, 1_000)

    const found = await storage.applications.find('b')
    assert.equal(found?.userId, 7)
    assert.deepEqual(Uint8Array.from(found.secretHash), bytes('secret b'))
    assert.equal(await storage.applications.find('x'), undefined)

    assert.equal(await storage.applications.revoke('b', 3_000), true)
    assert.equal(await storage.applications.revoke('b', 4_000), false)
    assert.equal(await storage.applications.revoke('x', 4_000), false)
    assert.equal(await storage.applications.find('b'), undefined)
    assert.deepEqual(await storage.applications.list(), [
      { id: 'c', userId: 9, name: '名 c', scope: 'read', createdAt: 1_000, revokedAt: null },
      { id: 'a', userId: 8, name: '名 a', scope: 'read', createdAt: 2_000, revokedAt: null },
      { id: 'b', userId: 7, name: '名 b', scope: 'read', createdAt: 2_000, revokedAt: 3_000 },
    ])
  })

  test('a new secret takes the place of the old one and leaves the tokens', async () => {
    await using place = await newPlace()
    const storage = await place.open()
    await addApplication(storage, 'a')
    await addToken(storage, 'token', 'a')

    assert.equal(await storage.applications.changeSecret('a', bytes('fresh')), true)
    assert.equal(await storage.applications.changeSecret('x', bytes('fresh')), false)

    const found = await storage.applications.find('a')
    assert.deepEqual(Uint8Array.from(found!.secretHash), bytes('fresh'))
    assert.notEqual(await storage.tokens.find(bytes('token')), undefined)
    await storage.applications.revoke('a', 2_000)
    assert.equal(await storage.applications.changeSecret('a', bytes('more')), false)
  })

  test('a new scope holds for the tokens in use, and a revoked application gets none', async () => {
    await using place = await newPlace()
    const storage = await place.open()
    await addApplication(storage, 'a')
    await addToken(storage, 'token', 'a')

    assert.equal(await storage.applications.changeScope('a', 'operate'), true)
    assert.equal(await storage.applications.changeScope('x', 'operate'), false)

    assert.equal((await storage.tokens.find(bytes('token')))?.scope, 'operate')
    assert.equal((await storage.applications.list())[0]?.scope, 'operate')
    await storage.applications.revoke('a', 2_000)
    assert.equal(await storage.applications.changeScope('a', 'admin'), false)
  })

  test('a key keeps its targets', async () => {
    await using place = await newPlace()
    const storage = await place.open()
    const targets = { structures: [1], stations: [2, 3], sensors: ['a-sensor'] }
    await storage.ingestKeys.add('bound', bytes('bound'), 1_000, targets)

    assert.deepEqual((await storage.ingestKeys.find(bytes('bound')))?.targets, targets)
    assert.deepEqual((await storage.ingestKeys.list())[0]?.targets, targets)
  })

  test('an id in use is refused and changes nothing', async () => {
    await using place = await newPlace()
    const storage = await place.open()
    await addApplication(storage, 'a', 1)

    await assert.rejects(addApplication(storage, 'a', 2))

    assert.equal((await storage.applications.find('a'))?.userId, 1)
  })

  test('a token is found with its user, expired or not', async () => {
    await using place = await newPlace()
    const storage = await place.open()
    await addApplication(storage, 'a', 7)
    await addToken(storage, 'old', 'a', 10)
    await addToken(storage, 'young', 'a', 4_102_444_800_000)

    assert.deepEqual(await storage.tokens.find(bytes('old')), {
      applicationId: 'a',
      userId: 7,
      scope: 'read',
      issuedAt: 1_000,
      expiresAt: 10,
      isInvalidated: false,
      isExpired: false,
      siteVersion: 0,
    })
    assert.equal((await storage.tokens.find(bytes('young')))?.expiresAt, 4_102_444_800_000)
    assert.equal(await storage.tokens.find(bytes('none')), undefined)
  })

  test('a token of an application that does not exist is refused', async () => {
    await using place = await newPlace()
    const storage = await place.open()

    await assert.rejects(addToken(storage, 'token', 'nobody'))

    assert.equal(await storage.tokens.find(bytes('token')), undefined)
  })

  test('a token is invalidated by its own application only', async () => {
    await using place = await newPlace()
    const storage = await place.open()
    await addApplication(storage, 'a')
    await addApplication(storage, 'b')
    await addToken(storage, 'one', 'a')
    await addToken(storage, 'two', 'a')

    await storage.tokens.invalidate(bytes('one'), 'b', 2_000)
    await storage.tokens.invalidate(bytes('none'), 'a', 2_000)
    assert.equal((await storage.tokens.find(bytes('one')))?.isInvalidated, false)

    await storage.tokens.invalidate(bytes('one'), 'a', 2_000)
    assert.equal((await storage.tokens.find(bytes('one')))?.isInvalidated, true)
    assert.equal((await storage.tokens.find(bytes('two')))?.isInvalidated, false)
  })

  test('the tokens of a revoked application are not found', async () => {
    await using place = await newPlace()
    const storage = await place.open()
    await addApplication(storage, 'a')
    await addApplication(storage, 'b')
    await addToken(storage, 'one', 'a')
    await addToken(storage, 'two', 'b')

    await storage.applications.revoke('a', 2_000)

    assert.equal(await storage.tokens.find(bytes('one')), undefined)
    assert.notEqual(await storage.tokens.find(bytes('two')), undefined)
  })

  test('a token that was marked as expired stays expired, marked alone or with all expired ones', async () => {
    await using place = await newPlace()
    const storage = await place.open()
    await addApplication(storage, 'a')
    for (const expiresAt of [1, 2, 3, 4]) await addToken(storage, `${expiresAt}`, 'a', expiresAt)
    const expired = async () => {
      const names = ['1', '2', '3', '4']
      const found = await Promise.all(names.map((name) => storage.tokens.find(bytes(name))))
      return names.filter((_, at) => found[at]?.isExpired)
    }

    await storage.tokens.markExpired(bytes('3'), 5)
    await storage.tokens.markExpired(bytes('none'), 5)
    assert.deepEqual(await expired(), ['3'])

    assert.equal(await storage.tokens.markAllExpired(2), 2)
    assert.equal(await storage.tokens.markAllExpired(2), 0)
    assert.deepEqual(await expired(), ['1', '2', '3'])
  })

  test('tokens that expired before an instant are deleted', async () => {
    await using place = await newPlace()
    const storage = await place.open()
    await addApplication(storage, 'a')
    for (const expiresAt of [1, 2, 3, 4]) await addToken(storage, `${expiresAt}`, 'a', expiresAt)

    assert.equal(await storage.tokens.deleteExpired(3), 2)
    assert.equal(await storage.tokens.deleteExpired(3), 0)

    assert.equal(await storage.tokens.find(bytes('2')), undefined)
    assert.notEqual(await storage.tokens.find(bytes('3')), undefined)
  })

  test('a key is found by its hash until it is revoked; then its name is free again', async () => {
    await using place = await newPlace()
    const storage = await place.open()
    await storage.ingestKeys.add('logger 七', bytes('one'), 1_000)

    const found = await storage.ingestKeys.find(bytes('one'))
    assert.deepEqual(
      { ...found, id: 0 },
      { id: 0, name: 'logger 七', createdAt: 1_000, revokedAt: null, targets: null },
    )
    assert.equal(await storage.ingestKeys.find(bytes('two')), undefined)
    await assert.rejects(storage.ingestKeys.add('logger 七', bytes('two'), 2_000))

    assert.equal(await storage.ingestKeys.revoke('logger 七', 3_000), true)
    assert.equal(await storage.ingestKeys.revoke('logger 七', 3_000), false)
    assert.equal(await storage.ingestKeys.find(bytes('one')), undefined)
    await storage.ingestKeys.add('logger 七', bytes('three'), 4_000)
    assert.deepEqual(
      (await storage.ingestKeys.list()).map(({ name, createdAt, revokedAt }) => ({
        name,
        createdAt,
        revokedAt,
      })),
      [
        { name: 'logger 七', createdAt: 1_000, revokedAt: 3_000 },
        { name: 'logger 七', createdAt: 4_000, revokedAt: null },
      ],
    )
  })

  test('applications, tokens and keys persist after reopening', async () => {
    await using place = await newPlace()
    {
      await using storage = await place.open()
      await addApplication(storage, 'a')
      await addToken(storage, 'token', 'a')
      await storage.ingestKeys.add('key', bytes('key'), 1)
      await storage.tokens.invalidate(bytes('token'), 'a', 2)
    }

    const again = await place.open()

    assert.notEqual(await again.applications.find('a'), undefined)
    assert.equal((await again.tokens.find(bytes('token')))?.isInvalidated, true)
    assert.notEqual(await again.ingestKeys.find(bytes('key')), undefined)
  })
}
