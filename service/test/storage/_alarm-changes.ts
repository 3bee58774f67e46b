import assert from 'node:assert/strict'
import test from 'node:test'
import type { AlarmStateCode } from '../../src/domain/alarms/lifecycle-table.ts'
import type { AlarmChange, AlarmUpdate, Storage } from '../../src/storage/storage.ts'
import type { NewPlace } from './_place.ts'
import { sampleAlarm } from './_sample-alarm.ts'

const STATE = {
  stateCode: 0,
  level: 2,
  content: 'v: 60mm',
  count: 1,
  startTime: 100,
  endTime: 100,
  items: ['v'],
  violationAt: 100,
  normalAt: null,
  normalCount: 0,
} as const

function alarmOf(state: AlarmStateCode): AlarmChange['alarm'] {
  const { id: _, ...alarm } = sampleAlarm(1, {
    source: { id: '7', name: 'S7' },
    content: `step ${state}`,
    count: state + 1,
    state,
    endTime: `2026-01-01 0${state}:00:00`,
  })
  return alarm
}

const change = (state: AlarmStateCode, parts: Partial<AlarmChange> = {}): AlarmChange => ({
  alarm: alarmOf(state),
  state: { ...STATE, items: ['v'], stateCode: state },
  isNew: state === 0,
  detail: {
    sponsor: 'plumbline',
    alarmCode: '30070002',
    alarmState: state,
    currentLevel: 2,
    content: `step ${state}`,
    time: `2026-01-01 0${state}:00:00`,
  },
  isLate: false,
  ...parts,
})

const ofSource = (source: string, { alarm, ...rest }: AlarmChange): AlarmChange => ({
  ...rest,
  alarm: { ...alarm, source: { id: source, name: `S${source}` } },
})

const bySource = (one: { source: string }, other: { source: string }): number =>
  Number(one.source) - Number(other.source)

const WRITER = 5

async function write(storage: Storage, changes: AlarmChange[], parts: Partial<AlarmUpdate> = {}) {
  const { at } = await storage.alarms.loadStates(0)
  await storage.alarms.write({ at, bounds: [], changes, writer: WRITER, now: 1, ...parts })
}

const ALL = {
  scope: 'all',
  orderBy: 'startTime',
  orderDirection: 'asc',
  limit: 20,
  offset: 0,
} as const

export function alarmChangeFacts(newPlace: NewPlace): void {
  test('a change makes an alarm and its first transition, and the next ones change it', async () => {
    await using place = await newPlace()
    const storage = await place.open()

    await write(storage, [change(0)])
    await write(storage, [change(1), change(3)])

    const stored = { ...change(3).alarm, id: 1 }
    assert.deepEqual(await storage.alarms.find(1), stored)
    assert.deepEqual(await storage.alarms.list(ALL), { count: 1, alarms: [stored] })
    const steps = [change(0).detail, change(1).detail, change(3).detail]
    assert.deepEqual(await storage.alarms.listDetails(1), steps)
    assert.equal(await storage.alarms.find(2), undefined)
  })

  test('changes in one write have the effect of single writes', async () => {
    const normal = change(1, { detail: null, state: { ...STATE, stateCode: 1, normalCount: 1 } })
    const together = [
      ofSource('7', change(1)),
      ofSource('8', change(0)),
      ofSource('7', normal),
      ofSource('9', change(0, { isLate: true })),
      ofSource('7', change(3)),
      ofSource('8', change(1)),
      ofSource('7', change(0)),
      ofSource('9', change(4)),
      ofSource('10', change(0)),
      ofSource('10', normal),
      ofSource('7', change(3)),
      ofSource('9', change(0)),
      ofSource('9', normal),
    ]
    const leave = async (writes: AlarmChange[][]) => {
      await using place = await newPlace()
      const storage = await place.open()
      await write(storage, [change(0)])
      for (const changes of writes) await write(storage, changes)
      const { alarms } = await storage.alarms.list({ ...ALL, limit: 500 })
      const { states } = await storage.alarms.loadStates(0)
      return {
        alarms,
        steps: await Promise.all(alarms.map(({ id }) => storage.alarms.listDetails(id))),
        notices: await storage.outbox.list(500),
        states: states.toSorted(bySource),
      }
    }

    // So many that their rows are written by runs of many and by runs of one.
    const again = Array.from({ length: 60 }, () => [
      ofSource('10', change(3)),
      ofSource('10', change(0)),
      ofSource('8', change(1)),
    ]).flat()
    const all = [...together, ...again]

    assert.deepEqual(await leave([all]), await leave(all.map((one) => [one])))
  })

  test('an open alarm is found by its source and type until it is closed', async () => {
    await using place = await newPlace()
    const { alarms, ...rest } = await place.open()
    const storage = { alarms, ...rest }

    await write(storage, [change(0)])

    assert.deepEqual(await alarms.findOpen('7', '3007'), { ...change(0).alarm, id: 1 })
    assert.equal(await alarms.findOpen('7', '3008'), undefined)
    assert.equal(await alarms.findOpen('8', '3007'), undefined)

    await write(storage, [change(4)])

    assert.equal(await alarms.findOpen('7', '3007'), undefined)

    await write(storage, [change(0)])

    assert.equal((await alarms.findOpen('7', '3007'))?.id, 2)
  })

  test('a change of the state alone changes no alarm and has no transition', async () => {
    await using place = await newPlace()
    const storage = await place.open()
    await write(storage, [change(0)])

    const closer = { ...STATE, items: ['v'], normalAt: 200, normalCount: 1 }
    await write(storage, [change(1, { detail: null, state: closer })])

    assert.equal((await storage.alarms.find(1))?.state, 0)
    assert.equal((await storage.alarms.listDetails(1)).length, 1)
    const { states } = await storage.alarms.loadStates(0)
    assert.deepEqual(states, [{ source: '7', typeCode: '3007', alarmId: 1, state: closer }])
  })

  test('alarm states that changed since a version are listed with their last writer', async () => {
    await using place = await newPlace()
    const storage = await place.open()
    assert.deepEqual(await storage.alarms.loadStates(0), {
      at: { version: 0, writer: 0 },
      states: [],
    })
    await write(storage, [change(0)])

    const first = await storage.alarms.loadStates(0)

    assert.deepEqual(first.at, { version: 1, writer: WRITER })
    assert.deepEqual(
      first.states.map(({ alarmId }) => alarmId),
      [1],
    )
    assert.deepEqual(await storage.alarms.loadStates(1), { at: first.at, states: [] })
  })

  test('a write from an older version, or of another writer, is refused and changes nothing', async () => {
    await using place = await newPlace()
    const storage = await place.open()
    await write(storage, [change(0)])

    for (const at of [
      { version: 0, writer: 0 },
      { version: 1, writer: WRITER + 1 },
    ])
      await assert.rejects(write(storage, [change(3)], { at }), {
        name: 'ConflictError',
        reason: 'alarms',
      })

    assert.equal((await storage.alarms.find(1))?.state, 0)
    assert.equal(await storage.alarms.count('all', 'new'), 1)
  })

  test('a station whose newest record lies outside the bounds refuses a write', async () => {
    await using place = await newPlace()
    const storage = await place.open()
    await write(storage, [change(0)], {
      bounds: [{ station: 7, above: -Infinity, upTo: 10, horizon: 99 }],
    })

    const bounds = [{ station: 7, above: 10, upTo: 20, horizon: 99 }]
    await assert.rejects(write(storage, [change(3)], { bounds }), {
      name: 'ConflictError',
      reason: 'alarms',
    })

    assert.equal((await storage.alarms.find(1))?.state, 0)
  })

  test('a put alarm conflicts with writes that were evaluated before it', async () => {
    await using place = await newPlace()
    const storage = await place.open()
    await write(storage, [change(0)])
    const { at } = await storage.alarms.loadStates(0)

    await storage.alarms.put([{ ...change(0).alarm, id: 1, count: 9, details: [] }])

    await assert.rejects(write(storage, [change(3)], { at }), {
      name: 'ConflictError',
      reason: 'alarms',
    })
    const next = { version: at.version + 1, writer: at.writer }
    await assert.rejects(write(storage, [change(3)], { at: next }), {
      name: 'ConflictError',
      reason: 'alarms',
    })
  })

  test('lists and counts show at once what another storage changes, adds and replaces', async () => {
    await using place = await newPlace()
    const [reader, writer] = [await place.open(), await place.open()]
    const seen = async () => {
      const { count, alarms } = await reader.alarms.list(ALL)
      const counts = [
        await reader.alarms.count('all', 'new'),
        await reader.alarms.count('all', 'history'),
      ]
      return { count, states: alarms.map(({ id, state }) => [id, state]), counts }
    }

    await write(writer, [change(0)])
    assert.deepEqual(await seen(), { count: 1, states: [[1, 0]], counts: [1, 0] })

    await write(writer, [change(4)])
    assert.deepEqual(await seen(), { count: 1, states: [[1, 4]], counts: [0, 1] })

    await writer.alarms.put([{ ...change(3).alarm, id: 9, details: [] }])
    assert.equal((await seen()).count, 2)

    await writer.alarms.put([
      { ...change(2).alarm, id: 5, details: [] },
      { ...change(3).alarm, id: 1, details: [] },
    ])
    const states = [
      [1, 3],
      [5, 2],
      [9, 3],
    ]
    assert.deepEqual(await seen(), { count: 3, states, counts: [1, 2] })
  })
}
