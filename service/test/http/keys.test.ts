import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { withService, type TestService } from '../_service.ts'
import { IDS, SITE } from '../_site.ts'
import { manageAs, type Manage } from './_manage.ts'

let service: TestService
let call: Manage

before(async () => {
  service = await withService({ site: SITE })
  call = await manageAs(service)
})

after(() => service[Symbol.asyncDispose]())

const create = (body: object) => call('POST', '/keys', body)

const send = (key: string, station: number) =>
  service.ingest('theme', key, {
    records: [{ station, time: '2026-01-01 08:00:00', values: { strain: 1 } }],
  })

describe('createKey', () => {
  test('makes a key for its targets, which is in this response only', async () => {
    const sensors = [IDS.wire.toUpperCase()]
    const { key } = (await create({ name: 'Tower', stations: [1001], sensors })).json()
    const listed = (await call('GET', '/keys')).json().keys

    assert.deepEqual((await send(key, 1001)).json().rejected, [])
    assert.equal((await send(key, 1002)).json().rejected.length, 1)
    assert.deepEqual(
      listed.map(({ name, targets, revokedAt }: any) => ({ name, targets, revokedAt })),
      [
        {
          name: 'Tower',
          targets: { structures: [], stations: [1001], sensors: [IDS.wire] },
          revokedAt: null,
        },
      ],
    )
    assert.ok(!service.logged.join('\n').includes(key))
  })

  test('refuses a name in use, unknown targets, and lists without any', async () => {
    await create({ name: 'Twice' })

    assert.equal((await create({ name: 'Twice' })).status, 400)
    assert.equal((await create({ name: 'A', structures: [99] })).status, 404)
    assert.equal((await create({ name: 'B', stations: [99] })).status, 404)
    assert.equal((await create({ name: 'C', sensors: [crypto.randomUUID()] })).status, 404)
    assert.match((await create({ name: 'D', stations: [] })).json().message, /lists .* are empty/)
  })
})

describe('listKeys', () => {
  test('and its operations need the scope admin and access to all structures', async () => {
    for (const one of [await manageAs(service, 2), await manageAs(service, 1, 'operate')]) {
      assert.equal((await one('GET', '/keys')).status, 403)
      assert.equal((await one('POST', '/keys', { name: 'x' })).status, 403)
      assert.equal((await one('POST', '/keys/revoke', { name: 'x' })).status, 403)
    }
  })
})

describe('revokeKey', () => {
  test('revokes a key', async () => {
    const { key } = (await create({ name: 'Gone' })).json()
    const before = (await send(key, 1001)).status
    const revoked = await call('POST', '/keys/revoke', { name: 'Gone' })
    const again = await call('POST', '/keys/revoke', { name: 'Gone' })

    assert.deepEqual([before, revoked.status, again.status], [200, 204, 404])
    assert.equal((await send(key, 1001)).status, 401)
  })
})
