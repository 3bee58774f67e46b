import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { AlarmDetail } from '@plumbline/contract'
import { minutes, rowsOf, type NewPlace } from './_place.ts'
import { sampleAlarm } from './_sample-alarm.ts'
import { NOTHING } from './_sample-delivery.ts'
import { storeAlarms } from './_stored-alarms.ts'

const STEP: AlarmDetail = {
  sponsor: 'plumbline',
  alarmCode: '30070002',
  alarmState: 0,
  currentLevel: 2,
  content: 'content',
  time: '2026-01-01 00:00:00',
}

export function overviewFacts(newPlace: NewPlace): void {
  test('the usual interval of a source comes from its newest records up to the horizon', async () => {
    await using place = await newPlace()
    const storage = await place.open()
    const [first = 0] = minutes(1)
    const theme = rowsOf(1, [...minutes(20), first + 86_400_000])
    await storage.records.write({ theme })
    await storage.records.write({ theme: rowsOf(2, minutes(2)) })

    const found = await storage.records.findUsualIntervals('theme', [2, 1, 3], first + 3_600_000)

    assert.deepEqual(found, [undefined, 60_000, undefined])
  })

  test('open alarms are listed with their structure, source, type and level', async () => {
    await using place = await newPlace()
    const storage = await place.open()
    await storeAlarms(storage, [
      { ...sampleAlarm(1, { structure: 7, level: 1, state: 2 }), details: [] },
      { ...sampleAlarm(2, { state: 3 }), details: [] },
    ])

    assert.deepEqual(await storage.alarms.listOpenLevels(), [
      { structure: 7, source: 'source 1', typeCode: '3007', level: 1 },
    ])
  })

  test('events are numbered in the order of the outbox and kept until they expire, but for the last', async () => {
    await using place = await newPlace()
    const storage = await place.open()
    const { events, outbox } = storage
    assert.deepEqual(await events.bounds(), { first: 0, last: 0 })
    for (const id of [1, 2, 3])
      await storeAlarms(storage, [{ ...sampleAlarm(id), details: [STEP] }], { now: id * 1000 })
    const entries = await outbox.list(10)
    await outbox.fanOut({ ...NOTHING, entries: entries.map(({ id }) => id), events: entries })

    const { last, events: found } = await events.list(1, 10)
    const one = await events.list(0, 1)
    await events.expire(9000)

    assert.deepEqual(
      found.map(({ id, step, alarm, detail }) => [id, step, alarm.id, detail]),
      [
        [2, 0, 2, STEP],
        [3, 0, 3, STEP],
      ],
    )
    assert.deepEqual([last, one.last, one.events.length], [3, 1, 1])
    assert.deepEqual(await events.bounds(), { first: 3, last: 3 })
    assert.deepEqual(await events.list(3, 10), { last: 3, events: [] })
  })

  test('an alarm has one shelving at a time; each says why it ended', async () => {
    await using place = await newPlace()
    const storage = await place.open()
    const { shelvings, outbox } = storage
    const shelving = { alarm: 1, startsAt: 1000, endsAt: 5000, comment: '起重机', sponsor: '1' }
    await shelvings.add([shelving, { ...shelving, alarm: 2 }])
    await shelvings.add([{ ...shelving, startsAt: 2000, endsAt: 9000 }])
    await outbox.fanOut({
      ...NOTHING,
      endedShelvings: [
        { alarm: 1, at: 3000, by: 'escalation' },
        { alarm: 2, at: 3000, by: 'close' },
      ],
    })

    const ended = await shelvings.end(1, 4000, 'person')

    assert.equal(ended, false)
    assert.deepEqual(await shelvings.list(1), [
      { ...shelving, endedAt: 2000, endedBy: 'person' },
      { ...shelving, startsAt: 2000, endsAt: 9000, endedAt: 3000, endedBy: 'escalation' },
    ])
    const all = await shelvings.listOf([1, 2, 3])
    assert.deepEqual(all.map(({ alarm, endedBy }) => [alarm, endedBy]).toSorted(), [
      [1, 'escalation'],
      [1, 'person'],
      [2, 'close'],
    ])
  })

  test('a structure has one picture, and positions that are replaced together', async () => {
    await using place = await newPlace()
    const { portraits } = await place.open()
    const picture = { type: 'image/png', hash: 'a', picture: Uint8Array.of(1, 0, 255) } as const
    await portraits.put(1, picture)
    await portraits.put(1, { ...picture, hash: 'b' })
    await portraits.setPositions(1, [
      { station: 7, x: 0.1, y: 1 },
      { station: 5, x: 0, y: 0.25 },
    ])
    await portraits.setPositions(2, [{ station: 9, x: 0, y: 0 }])

    assert.deepEqual(await portraits.find(1), { type: 'image/png', hash: 'b' })
    assert.equal(await portraits.load(1, 'a'), undefined)
    const stored = await portraits.load(1, 'b')
    assert.deepEqual(Array.from(stored?.picture ?? []), [1, 0, 255])
    assert.deepEqual(await portraits.listPositions(1), [
      { station: 5, x: 0, y: 0.25 },
      { station: 7, x: 0.1, y: 1 },
    ])
    await portraits.setPositions(1, [])
    await portraits.remove(1)
    assert.deepEqual([await portraits.find(1), await portraits.listPositions(1)], [undefined, []])
    assert.equal((await portraits.listPositions(2)).length, 1)
  })

  test('vehicles are counted by local hour, lane and weight class', async () => {
    await using place = await newPlace()
    const { traffic } = await place.open()
    const time = Date.UTC(2026, 2, 1, 0, 45)
    const vehicle = (at: number, lane: string, load: number, overload = false) => ({
      structure: 1,
      time: time + at * 60_000,
      identity: `${at}`,
      overload,
      license: '',
      load,
      record: JSON.stringify({ license: '', lane, load }),
      details: '{}',
    })
    await traffic.write([
      vehicle(0, '車道', 9.9),
      vehicle(1, '車道', 10, true),
      vehicle(15, '車道', 50),
      vehicle(20, '車道', 49),
      vehicle(60, '2', 1),
    ])

    const span = { structure: 1, from: time, to: time + 59 * 60_000 }
    const counts = await traffic.countBy({ ...span, offset: 3_600_000, bounds: [10, 40] })

    const hour = Math.floor(time / 3_600_000) + 1
    assert.deepEqual(
      counts.toSorted((one, other) => one.hour - other.hour || one.weightClass - other.weightClass),
      [
        { hour, lane: '車道', weightClass: 0, count: 1, overloads: 0 },
        { hour, lane: '車道', weightClass: 1, count: 1, overloads: 1 },
        { hour: hour + 1, lane: '車道', weightClass: 2, count: 2, overloads: 0 },
      ],
    )
    const [all] = await traffic.countBy({ ...span, to: time, offset: 0, bounds: [] })
    assert.deepEqual(all, { hour: hour - 1, lane: '車道', weightClass: 0, count: 1, overloads: 0 })
  })
}
