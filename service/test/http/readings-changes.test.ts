import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { TestService } from '../_service.ts'
import { call, MORNING, NOW, record, service } from './_readings.ts'

/** The records of station 1001 as the interface has them, newest first. */
async function dataOf(place: TestService): Promise<Record<string, unknown>[]> {
  const path = '/stations/theme/data?stations=1001&limit=10'
  return (await place.get(path, await place.issueToken())).json().stations[0].data
}

describe('a manual reading', () => {
  test('is a change: undone, it takes what was entered and restores what it replaced', async () => {
    await using place = await service()
    const key = await place.createKey()
    const values = { strain: 1, temperature: 5 }
    await place.ingest('theme', key, { records: [{ station: 1001, time: MORNING, values }] })
    const EVENING = '2026-03-01 20:00:00'
    const records = [record(MORNING, 2), record(EVENING, 3)]

    const { change } = (await call(place, '1001/readings', { body: { records } })).json()
    const meanwhile = await dataOf(place)
    const [listed] = await place.storage.changes.list()
    const step = await place.storage.changes.undo(change, { limit: 9, now: NOW })

    assert.deepEqual(meanwhile, [
      { strain: 3, time: EVENING },
      { strain: 2, temperature: 5, time: MORNING },
    ])
    assert.deepEqual([step.removed, step.restored, step.left], [1, 1, 0])
    assert.deepEqual(await dataOf(place), [{ ...values, time: MORNING }])
    assert.equal(listed!.kind, 'reading')
    assert.equal(
      listed!.description,
      `station 1001: reading of ${MORNING} to ${EVENING} by "管理员"`,
    )
    assert.notEqual(listed!.finishedAt, null)
    const { readings } = (await call(place, '1001/readings')).json()
    assert.deepEqual(
      readings.map(({ undone, change: of }: any) => [undone, of]),
      [
        [true, change],
        [true, change],
      ],
    )
  })

  test('raises an alarm that is notified like that of a device', async () => {
    await using place = await service()

    await call(place, '1001/readings', { body: { records: [record(MORNING, 400)] } })

    const [entry, ...more] = await place.storage.outbox.list(10)
    assert.deepEqual([entry?.isLate, more.length], [false, 0])
  })

  test('what is sent twice is one change, also at once; what was overwritten is entered again', async () => {
    await using place = await service()
    const key = await place.createKey()
    const enter = async (...records: object[]) =>
      (await call(place, '1001/readings', { body: { records } })).json()
    const twice = [record(MORNING, 1), record(MORNING, 2), record('2026-03-01 09:00:00', 3)]

    const sent = await Promise.all([enter(...twice), enter(...twice)])
    const mixed = await enter(...twice, record('2026-03-01 10:00:00', 4))
    const overwriting = [{ station: 1001, time: MORNING, values: { strain: 9 } }]
    await place.ingest('theme', key, { records: overwriting })
    const again = await enter(record(MORNING, 2))
    await place.storage.changes.undo(again.change, { limit: 9, now: NOW })
    const afterUndo = await enter(record(MORNING, 2))

    // Either may come first.
    assert.deepEqual(
      sent.toSorted((one, other) => one.replaced - other.replaced),
      [
        { accepted: 3, replaced: 0, rejected: [], change: 1 },
        { accepted: 3, replaced: 3, rejected: [], change: 1 },
      ],
    )
    assert.deepEqual([mixed.accepted, mixed.replaced, mixed.change], [4, 3, 2])
    assert.deepEqual([again.change, afterUndo.change], [3, 4])
    assert.equal((await dataOf(place)).at(-1)!['strain'], 2)
    const { readings } = (await call(place, '1001/readings')).json()
    assert.deepEqual(
      readings.map(({ values, change, undone }: any) => [values.strain, change, undone]),
      [
        [4, 2, false],
        [3, 1, false],
        [2, 4, false],
        [2, 3, true],
        [2, 1, false],
        [1, 1, false],
      ],
    )
  })

  test('may have a quality, for all values or by item', async () => {
    await using place = await service()
    const one = { ...record(MORNING, 1), quality: 'bad: frozen gauge' }
    const other = {
      time: '2026-03-01 09:00:00',
      values: { strain: 2, temperature: 3 },
      quality: { temperature: 'uncertain' },
    }
    const wrong = { ...record(MORNING, 1), quality: 'frozen' }

    const { rejected } = (
      await call(place, '1001/readings', { body: { records: [one, other, wrong] } })
    ).json()

    assert.match(rejected[0].message, /quality is "frozen", expected good/)
    assert.deepEqual(await dataOf(place), [
      { strain: 2, temperature: 3, time: '2026-03-01 09:00:00' },
    ])
    const { readings } = (await call(place, '1001/readings')).json()
    assert.deepEqual(
      readings.map(({ values, quality }: any) => [values.strain, quality]),
      [
        [2, { temperature: 'uncertain' }],
        [1, { strain: 'bad: frozen gauge' }],
      ],
    )
  })
})
