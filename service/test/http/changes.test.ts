import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { withService, type TestService } from '../_service.ts'
import { SITE } from '../_site.ts'
import { manageAs, type Manage } from './_manage.ts'

const window = { startTime: '2026-01-01 00:00:00', endTime: '2026-01-02 00:00:00' }

let service: TestService
let call: Manage

before(async () => {
  service = await withService({ site: SITE })
  call = await manageAs(service)
  const key = await service.createKey()
  const records = [8, 9].map((hour) => ({
    station: 1001,
    time: `2026-01-01 0${hour}:00:00`,
    values: { strain: hour },
  }))
  assert.equal((await service.ingest('theme', key, { records })).json().accepted, 2)
})

after(() => service[Symbol.asyncDispose]())

const strains = async () => {
  const token = await service.issueToken()
  const found = await service.get('/stations/theme/data?stations=1001&limit=9', token)
  return found.json().stations.flatMap(({ data }: any) => data.map(({ strain }: any) => strain))
}

/** Deletes all records of station 1001; returns the number of the change. */
const remove = async (): Promise<number> => {
  const body = { station: 1001, ...window }
  return (await call('POST', '/records/delete', body)).json().change
}

describe('listChanges', () => {
  test('gives the newest first, with the end of the time in which each can be undone', async () => {
    const first = await remove()
    await call('POST', `/changes/${first}/undo`, {})
    const second = await remove()
    await call('POST', `/changes/${second}/undo`, {})

    const { changes } = (await call('GET', '/changes')).json()
    const [next] = (await call('GET', `/changes?before=${second}&limit=1`)).json().changes

    assert.deepEqual(
      changes.map(({ id, kind, records }: any) => [id, kind, records]),
      [
        [second, 'deletion', 0],
        [first, 'deletion', 0],
      ],
    )
    assert.equal(changes[0].undoUntil, null)
    assert.deepEqual(next, changes[1])
    assert.equal((await (await manageAs(service, 2))('GET', '/changes')).status, 403)
  })
})

describe('undoChange', () => {
  test('restores what a change deleted, once', async () => {
    const change = await remove()
    const listed = (await call('GET', '/changes?limit=1')).json().changes[0]
    const gone = await strains()
    const undone = await call('POST', `/changes/${change}/undo`, {})
    const again = await call('POST', `/changes/${change}/undo`, {})

    assert.ok(listed.undoUntil > Date.now())
    assert.equal(listed.records, 2)
    assert.deepEqual(gone, [])
    assert.deepEqual(undone.json(), {
      change,
      records: { removed: 0, restored: 2, left: 0 },
      waveforms: { removed: 0, restored: 0, left: 0 },
      alarms: [],
    })
    assert.deepEqual((await strains()).toSorted(), [8, 9])
    assert.equal(again.status, 400)
    assert.match(again.json().message, /already undone, on /)
    assert.equal((await call('POST', '/changes/999/undo', {})).status, 404)
  })

  test('needs the scope admin and access to all structures', async () => {
    for (const one of [await manageAs(service, 2), await manageAs(service, 1, 'operate')])
      assert.equal((await one('POST', '/changes/1/undo', {})).status, 403)
  })

  test('refuses a change of which a later one wrote the same records, unless they stay', async () => {
    const first = await remove()
    const key = await service.createKey('again')
    const records = [{ station: 1001, time: '2026-01-01 08:00:00', values: { strain: 5 } }]
    await service.ingest('theme', key, { records })
    const second = await remove()

    const refused = await call('POST', `/changes/${first}/undo`, {})
    const kept = await call('POST', `/changes/${first}/undo`, { keep: true })

    assert.equal(refused.status, 400)
    assert.match(refused.json().message, new RegExp(`Undo change ${second} first`))
    assert.equal(kept.status, 200)
  })
})
