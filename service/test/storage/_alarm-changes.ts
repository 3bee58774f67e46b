import assert from 'node:assert/strict'
import test from 'node:test'
import { isDeepStrictEqual } from 'node:util'
import fc from 'fast-check'
import type { AlarmStateCode } from '../../src/domain/alarms/lifecycle-table.ts'
import type { AlarmChange, AlarmUpdate, Storage } from '../../src/storage/storage.ts'
import { runs } from '../_random.ts'
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
const NEVER_CHANGED = { version: 0, writer: 0 }

/** The stored versions of sources. */
async function versionsOf(
  storage: Storage,
  sources: readonly string[],
): Promise<AlarmUpdate['at']> {
  const stored = await storage.alarms.loadStates(sources)
  const versions = new Map(stored.map(({ source, version }) => [source, version]))
  return new Map(sources.map((source) => [source, versions.get(source) ?? NEVER_CHANGED]))
}

async function write(storage: Storage, changes: AlarmChange[], parts: Partial<AlarmUpdate> = {}) {
  const sources = new Set(changes.map(({ alarm }) => alarm.source.id))
  // Without a look, writes are sent in the order of the calls.
  const at = parts.at ?? (await versionsOf(storage, [...sources]))
  await storage.alarms.write({ bounds: [], changes, writer: WRITER, now: 1, ...parts, at })
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
      const states = await storage.alarms.loadStates('all')
      return {
        alarms,
        steps: await Promise.all(alarms.map(({ id }) => storage.alarms.listDetails(id))),
        notices: await storage.outbox.list(500),
        states: states.toSorted(bySource).map((one) => ({ ...one, version: 'counts writes' })),
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
    const [stored] = await storage.alarms.loadStates(['7'])
    assert.deepEqual(stored?.states, [{ typeCode: '3007', alarmId: 1, state: closer }])
  })

  test('alarm states are listed by source, with the version and last writer of each', async () => {
    await using place = await newPlace()
    const storage = await place.open()
    assert.deepEqual(await storage.alarms.loadStates('all'), [])
    const frozen = change(0, { alarm: { ...alarmOf(0), alarmTypeCode: '3008' } })
    await write(storage, [change(0), frozen])
    await write(storage, [change(1)], { writer: WRITER + 1 })
    await write(storage, [ofSource('8', change(0))])

    const all = await storage.alarms.loadStates('all')

    const seen = all.map(({ source, version, states }) => {
      return { source, version, states: states.map(({ typeCode, alarmId }) => [typeCode, alarmId]) }
    })
    const [seven, eight] = seen.toSorted(bySource)
    assert.deepEqual(seven, {
      source: '7',
      version: { version: 2, writer: WRITER + 1 },
      states: [
        ['3007', 1],
        ['3008', 2],
      ],
    })
    assert.deepEqual(eight, {
      source: '8',
      version: { version: 1, writer: WRITER },
      states: [['3007', 3]],
    })
    assert.deepEqual(
      await storage.alarms.loadStates(['9', '8']),
      all.filter(({ source }) => source === '8'),
    )
    assert.deepEqual(await storage.alarms.loadStates([]), [])
  })

  test('alarm states of many sources are listed', async () => {
    await using place = await newPlace()
    const storage = await place.open()
    const sources = Array.from({ length: 250 }, (_, at) => String(at))
    await write(
      storage,
      sources.map((source) => ofSource(source, change(0))),
    )

    const stored = await storage.alarms.loadStates(sources)

    assert.deepEqual(stored.map(({ source }) => source).toSorted(), sources.toSorted())
  })

  test('the open alarms are listed by source and type', async () => {
    await using place = await newPlace()
    const storage = await place.open()
    await write(storage, [change(0), ofSource('8', change(0)), ofSource('9', change(0))])
    await write(storage, [ofSource('8', change(3))])

    const open = await storage.alarms.listOpen()

    assert.deepEqual(open.toSorted(bySource), [
      { source: '7', typeCode: '3007' },
      { source: '9', typeCode: '3007' },
    ])
  })

  test('a write from an older version of its source, or of another writer, is refused and changes nothing', async () => {
    await using place = await newPlace()
    const storage = await place.open()
    await write(storage, [change(0)])
    const written = { version: 1, writer: WRITER }

    for (const version of [
      NEVER_CHANGED,
      { version: 1, writer: WRITER + 1 },
      { version: 2, writer: WRITER },
    ])
      for (const at of [
        new Map([['7', version]]),
        new Map([
          ['7', version],
          ['8', NEVER_CHANGED],
        ]),
        new Map([
          ['8', { version: 1, writer: WRITER }],
          ['7', written],
        ]),
      ])
        await assert.rejects(write(storage, [change(3)], { at }), {
          name: 'ConflictError',
          reason: 'alarms',
        })

    assert.equal((await storage.alarms.find(1))?.state, 0)
    assert.equal(await storage.alarms.count('all', 'new'), 1)
    assert.deepEqual(await versionsOf(storage, ['7']), new Map([['7', written]]))
  })

  test('a write that was evaluated and changes nothing is refused where its source was changed', async () => {
    await using place = await newPlace()
    const storage = await place.open()
    const at = await versionsOf(storage, ['7'])
    await write(storage, [], { at })
    await write(storage, [change(0)])

    await assert.rejects(write(storage, [], { at }), { name: 'ConflictError', reason: 'alarms' })
  })

  test('changes of other sources refuse no write', async () => {
    await using place = await newPlace()
    const [one, other] = [await place.open(), await place.open()]
    const at = await versionsOf(one, ['7', '8'])

    await write(other, [ofSource('9', change(0))])
    await write(other, [ofSource('10', change(0))])
    await write(one, [change(0), ofSource('8', change(0))], { at })

    assert.equal(await one.alarms.count('all', 'new'), 4)
  })

  test('writes that are sent before earlier ones have ended are computed from the versions that these leave', async () => {
    await using place = await newPlace()
    const storage = await place.open()
    const sent = (version: number, changes: AlarmChange[]) => {
      const at = new Map([['7', { version, writer: version === 0 ? 0 : WRITER }]])
      return write(storage, changes, { at })
    }

    const ends = await Promise.allSettled([
      sent(0, [change(0)]),
      sent(1, [change(1)]),
      // The third is refused, and so is what was computed from it.
      sent(7, [change(2)]),
      sent(8, [change(3)]),
      sent(2, [change(4)]),
    ])

    assert.deepEqual(
      ends.map(({ status }) => status),
      ['fulfilled', 'fulfilled', 'rejected', 'rejected', 'fulfilled'],
    )
    assert.equal((await storage.alarms.find(1))?.state, 4)
  })

  test('random writes of several writers are refused exactly where one of their sources was changed by another one', async () => {
    const writers = 3
    const sources = ['7', '8', '9', '10']
    const some = fc.uniqueArray(fc.constantFrom(...sources), { minLength: 1 })
    const step = fc.record({
      writer: fc.nat(writers - 1),
      does: fc.constantFrom('read', 'write', 'write'),
      sources: some,
      changed: fc.uniqueArray(fc.constantFrom(...sources)),
    })
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 20 }), async (steps) => {
        await using place = await newPlace()
        const storages = [await place.open(), await place.open(), await place.open()]
        const stored = new Map(sources.map((source) => [source, NEVER_CHANGED]))
        const known = storages.map(() => new Map(stored))
        for (const { writer, does, sources: own, changed } of steps) {
          const storage = storages[writer]!
          const versions = known[writer]!
          if (does === 'read') {
            for (const [source, version] of await versionsOf(storage, own))
              versions.set(source, version)
            continue
          }
          const at = new Map(own.map((source) => [source, versions.get(source)!]))
          const mine = changed.filter((source) => at.has(source))
          const changes = mine.map((source) => {
            const isNew = stored.get(source) === NEVER_CHANGED
            return ofSource(source, change(isNew ? 0 : 1))
          })
          const isConflict = own.some(
            (source) => !isDeepStrictEqual(at.get(source), stored.get(source)),
          )
          const sent = write(storage, changes, { at, writer })
          if (isConflict) {
            await assert.rejects(sent, { name: 'ConflictError', reason: 'alarms' })
            continue
          }
          await sent
          for (const source of mine) {
            const next = { version: stored.get(source)!.version + 1, writer }
            stored.set(source, next)
            versions.set(source, next)
          }
        }
        assert.deepEqual(await versionsOf(storages[0]!, sources), stored)
      }),
      { numRuns: runs(30) },
    )
  })

  test('sources with any text as their id have versions', async () => {
    await using place = await newPlace()
    const storage = await place.open()
    const sources = ['__proto__', 'a "b"', 'a\\b', '梁-1', '0', '00', 'x.y[0]', ' ', '\n', '\u2028']

    for (const state of [0, 1, 3] as const) {
      const changes = sources.map((source) => ofSource(source, change(state)))
      await write(storage, changes)
    }

    const at = await versionsOf(storage, sources)
    for (const source of sources) {
      assert.deepEqual(at.get(source), { version: 3, writer: WRITER }, source)
      await assert.rejects(write(storage, [], { at: new Map([[source, NEVER_CHANGED]]) }), {
        name: 'ConflictError',
        reason: 'alarms',
      })
    }
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

    await write(writer, [change(0), change(3)])
    assert.equal((await seen()).count, 2)

    await write(writer, [ofSource('8', change(0)), change(2, { isReopened: true })])
    const states = [
      [1, 4],
      [2, 2],
      [3, 0],
    ]
    assert.deepEqual(await seen(), { count: 3, states, counts: [2, 1] })
  })
}
