import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { replay, type Arrival, type ModelAlarm, type RecordArrival } from './_alarm-model.ts'
import {
  step,
  type AlarmEvent,
  type AlarmWatch,
  type LifeSettings,
  type Step,
} from './alarm-life.ts'
import { LIFE, type Input, type Phase } from './life-table.ts'

const SETTINGS: LifeSettings = {
  typeCode: '3007',
  severity: 'lowestFirst',
  clearAfter: 2,
  needsPerson: false,
}

const OPEN: AlarmWatch = {
  state: 0,
  level: 2,
  content: 'first',
  count: 1,
  startTime: 100,
  endTime: 100,
  items: ['x'],
  violationAt: 100,
  calmAt: null,
  calmRun: 0,
}

const CALMING: AlarmWatch = { ...OPEN, calmAt: 200, calmRun: 1 }
const CLOSED: AlarmWatch = { ...OPEN, endTime: 300, calmAt: 300 }

const violation = (time: number, level = 2, newest: number | null = 100): AlarmEvent => {
  return { kind: 'violation', time, newest, level, items: ['x'], content: `violation at ${time}` }
}
const near = (time: number, newest: number | null = 100): AlarmEvent => {
  return { kind: 'near', time, newest }
}
const calm = (time: number, newest: number | null = 200): AlarmEvent => {
  return { kind: 'calm', time, newest, content: 'back' }
}
const CONFIRM: AlarmEvent = { kind: 'confirm', time: 400, user: '7', comment: 'seen on site' }

const WATCHES: Record<Phase, AlarmWatch | null> = {
  none: null,
  new: CALMING,
  repeated: { ...CALMING, state: 1 },
  raised: { ...CALMING, state: 2 },
  cleared: { ...CLOSED, state: 3 },
  confirmed: { ...CLOSED, state: 4 },
}

/** An event that is what its name says when it meets any of the watches above. */
const EVENTS: Record<Input, { event: AlarmEvent; settings?: Partial<LifeSettings> }> = {
  violation: { event: violation(400, 2, 300) },
  worse: { event: violation(400, 1, 300) },
  correction: { event: violation(100, 1, 300) },
  known: { event: violation(100, 2, 300) },
  near: { event: near(400, 300) },
  calm: { event: calm(400, 300), settings: { clearAfter: 3 } },
  last: { event: calm(400, 300) },
  held: { event: calm(400, 300), settings: { needsPerson: true } },
  confirm: { event: CONFIRM },
}

type Row = [
  phase: Phase,
  input: Input,
  detailState: number | null,
  changes: Partial<AlarmWatch> | null,
]

const REPEATED = {
  state: 1,
  count: 2,
  endTime: 400,
  violationAt: 400,
  calmRun: 0,
  content: 'violation at 400',
}
const RAISED = { ...REPEATED, state: 2, level: 1 }
const OPENED = {
  ...OPEN,
  startTime: 400,
  endTime: 400,
  violationAt: 400,
  content: 'violation at 400',
}
const OPENED_WORSE = { ...OPENED, level: 1 }
const CORRECTED = { state: 2, level: 1, content: 'violation at 100' }
const CALMER = { calmAt: 400, calmRun: 2 }
const CLEARED = { state: 3, endTime: 400, calmRun: 0 }
const CONFIRMED = { state: 4, endTime: 400, calmRun: 0 }

/** One row for each phase and event: the state of the step, and what changes; null: nothing. */
const TABLE = [
  ['none', 'violation', 0, OPENED],
  ['none', 'worse', 0, OPENED_WORSE],
  ['none', 'correction', null, null],
  ['none', 'known', null, null],
  ['none', 'near', null, null],
  ['none', 'calm', null, null],
  ['none', 'last', null, null],
  ['none', 'held', null, null],
  ['none', 'confirm', null, null],

  ['new', 'violation', 1, REPEATED],
  ['new', 'worse', 2, RAISED],
  ['new', 'correction', 2, CORRECTED],
  ['new', 'known', null, null],
  ['new', 'near', null, { calmRun: 0 }],
  ['new', 'calm', null, CALMER],
  ['new', 'last', 3, CLEARED],
  ['new', 'held', null, CALMER],
  ['new', 'confirm', 4, CONFIRMED],

  ['repeated', 'violation', 1, REPEATED],
  ['repeated', 'worse', 2, RAISED],
  ['repeated', 'correction', 2, CORRECTED],
  ['repeated', 'known', null, null],
  ['repeated', 'near', null, { calmRun: 0 }],
  ['repeated', 'calm', null, CALMER],
  ['repeated', 'last', 3, CLEARED],
  ['repeated', 'held', null, CALMER],
  ['repeated', 'confirm', 4, CONFIRMED],

  ['raised', 'violation', 1, REPEATED],
  ['raised', 'worse', 2, RAISED],
  ['raised', 'correction', 2, CORRECTED],
  ['raised', 'known', null, null],
  ['raised', 'near', null, { calmRun: 0 }],
  ['raised', 'calm', null, CALMER],
  ['raised', 'last', 3, CLEARED],
  ['raised', 'held', null, CALMER],
  ['raised', 'confirm', 4, CONFIRMED],

  ['cleared', 'violation', 0, OPENED],
  ['cleared', 'worse', 0, OPENED_WORSE],
  ['cleared', 'correction', null, null],
  ['cleared', 'known', null, null],
  ['cleared', 'near', null, null],
  ['cleared', 'calm', null, null],
  ['cleared', 'last', null, null],
  ['cleared', 'held', null, null],
  ['cleared', 'confirm', null, null],

  ['confirmed', 'violation', 0, OPENED],
  ['confirmed', 'worse', 0, OPENED_WORSE],
  ['confirmed', 'correction', null, null],
  ['confirmed', 'known', null, null],
  ['confirmed', 'near', null, null],
  ['confirmed', 'calm', null, null],
  ['confirmed', 'last', null, null],
  ['confirmed', 'held', null, null],
  ['confirmed', 'confirm', null, null],
] as Row[]

describe('the table of an alarm', () => {
  test('has one row for each phase and event', () => {
    const rows = TABLE.map(([phase, input]) => `${phase} ${input}`)
    const all = Object.entries(LIFE).flatMap(([phase, inputs]) =>
      Object.keys(inputs).map((input) => `${phase} ${input}`),
    )

    assert.deepEqual(rows.toSorted(), all.toSorted())
  })

  for (const [phase, input, detailState, changes] of TABLE) {
    const result = detailState === null ? 'writes no step' : `writes a step ${detailState}`
    test(`${phase}, ${input}: ${result}`, () => {
      const watch = WATCHES[phase]
      const { event, settings } = EVENTS[input]

      const after = step(watch, event, { ...SETTINGS, ...settings })

      assert.equal(after.detail?.alarmState ?? null, detailState)
      assert.equal(after.isNew, detailState === 0)
      if (changes === null) assert.equal(after.watch, watch)
      else assert.deepEqual(after.watch, { ...watch, ...changes })
    })
  }
})

/** Runs events one after the other; each knows the newest record before it. */
function run(events: readonly AlarmEvent[], settings: Partial<LifeSettings> = {}): Step[] {
  let watch: AlarmWatch | null = null
  return events.map((event) => {
    const after = step(watch, event, { ...SETTINGS, ...settings })
    ;({ watch } = after)
    return after
  })
}

describe('an alarm', () => {
  test('begins, repeats, is raised, stays at its level, is cleared, and begins anew', () => {
    const steps = run([
      violation(1, 3, null),
      violation(2, 3, 1),
      violation(3, 1, 2),
      violation(4, 2, 3),
      calm(5, 4),
      calm(6, 5),
      violation(7, 3, 6),
    ])

    const told = steps.map(({ detail, watch, isNew }) => {
      return [detail?.alarmState, detail?.alarmCode, watch?.level, watch?.count, isNew]
    })
    assert.deepEqual(told, [
      [0, '30070003', 3, 1, true],
      [1, '30070003', 3, 2, false],
      [2, '30070001', 1, 3, false],
      [1, '30070001', 1, 4, false],
      [undefined, undefined, 1, 4, false],
      [3, '30070001', 1, 4, false],
      [0, '30070003', 3, 1, true],
    ])
  })

  test('is raised towards higher numbers where those are the worse ones', () => {
    const [, second, third] = run([violation(1, 1, null), violation(2, 2, 1), violation(3, 1, 2)], {
      severity: 'highestFirst',
    })

    assert.equal(second?.detail?.alarmState, 2)
    assert.deepEqual([third?.detail?.alarmState, third?.watch?.level], [1, 2])
  })

  test('keeps the content of its level when a milder record repeats it', () => {
    const [, last] = run([violation(1, 1, null), violation(2, 3, 1)])

    assert.equal(last?.watch?.content, 'violation at 1')
    assert.equal(last?.detail?.content, 'violation at 2')
  })

  test('is not cleared by calm records that do not follow each other', () => {
    const steps = run([
      violation(1, 1, null),
      calm(2, 1),
      near(3, 2),
      calm(4, 3),
      violation(5, 1, 4),
      calm(6, 5),
    ])

    assert.equal(steps.at(-1)?.watch?.state, 1)
    assert.equal(steps.at(-1)?.watch?.calmRun, 1)
  })

  test('that needs a person stays for any number of calm records, without changing', () => {
    const steps = run([violation(1, 1, null), calm(2, 1), calm(3, 2), calm(4, 3), CONFIRM], {
      needsPerson: true,
    })

    assert.equal(steps[3]?.watch, steps[2]?.watch)
    assert.equal(steps[3]?.watch?.state, 0)
    assert.deepEqual(steps[4]?.detail, {
      sponsor: '7',
      alarmCode: '30070001',
      alarmState: 4,
      currentLevel: 1,
      content: 'seen on site',
      time: 400,
    })
  })

  test('is not begun by a late record, whatever came before', () => {
    const [late] = run([violation(50, 1, 60)])
    const [, , afterEnd] = run([violation(1, 1, null), CONFIRM, violation(90, 1, 500)])

    assert.deepEqual([late?.watch, late?.detail, late?.isLate], [null, null, true])
    assert.equal(afterEnd?.watch?.state, 4)
    assert.equal(afterEnd?.detail, null)
  })

  test('that is open is repeated by a late record after its last one, and nobody is told', () => {
    const [, , , late, again] = run([
      violation(10, 2, null),
      calm(20, 10),
      near(30, 20),
      violation(15, 2, 30),
      violation(15, 2, 30),
    ])

    assert.deepEqual([late?.watch?.count, late?.watch?.endTime, late?.isLate], [2, 15, true])
    assert.equal(again?.watch, late?.watch)
  })

  test('is raised, and not counted, by a worse late record within it, and left by one before it', () => {
    const [, , within, before] = run([
      violation(10, 2, null),
      violation(20, 2, 10),
      violation(15, 1, 20),
      violation(5, 1, 20),
    ])

    assert.deepEqual([within?.watch?.state, within?.watch?.level, within?.watch?.count], [2, 1, 2])
    assert.equal(before?.watch, within?.watch)
  })

  test('survives the correction of its newest record, which then is the first calm one', () => {
    const [, , corrected, next] = run([
      violation(10, 2, null),
      violation(20, 2, 10),
      calm(20, 20),
      calm(30, 20),
    ])

    assert.deepEqual([corrected?.watch?.state, corrected?.watch?.calmRun], [1, 1])
    assert.equal(next?.watch?.state, 3)
  })

  test('counts a record once that is corrected to and fro', () => {
    const steps = run([
      violation(10, 2, null),
      calm(10, 10),
      violation(10, 2, 10),
      calm(10, 10),
      violation(10, 2, 10),
    ])

    assert.equal(steps.at(-1)?.watch?.count, 1)
    assert.equal(steps.filter(({ detail }) => detail !== null).length, 1)
  })

  test('gathers the items that were over their limits', () => {
    const other: AlarmEvent = { ...violation(2, 2, 1), items: ['y', 'x'] } as AlarmEvent
    const [, second] = run([violation(1, 2, null), other])

    assert.deepEqual(second?.watch?.items, ['x', 'y'])
  })

  test('can be kept as JSON', () => {
    const [, last] = run([violation(1, 1, null), calm(2, 1)])

    assert.deepEqual(JSON.parse(JSON.stringify(last?.watch)), last?.watch)
  })
})

const kinds = fc.oneof(
  { weight: 4, arbitrary: fc.integer({ min: 1, max: 3 }).map((level) => ({ level })) },
  { weight: 4, arbitrary: fc.constant('calm' as const) },
  { weight: 1, arbitrary: fc.constant('near' as const) },
)
const record = fc
  .tuple(fc.integer({ min: 0, max: 12 }), kinds, fc.constantFrom('a', 'b', 'c'))
  .map(([time, kind, content]): RecordArrival => ({ time, kind, content }))
const arrivals = fc.array(
  fc.oneof(
    { weight: 12, arbitrary: record },
    {
      weight: 1,
      arbitrary: fc.record({
        time: fc.integer({ min: 0, max: 15 }),
        kind: fc.constant('confirm' as const),
        alarm: fc.constant('newest' as const),
        user: fc.constantFrom('7', '8'),
        comment: fc.constantFrom('', 'seen'),
      }),
    },
  ),
  { maxLength: 40 },
)
const life = fc.record({
  clearAfter: fc.integer({ min: 1, max: 3 }),
  needsPerson: fc.boolean(),
  severity: fc.constantFrom('lowestFirst' as const, 'highestFirst' as const),
})

/** What the incremental engine makes of arrivals, one after the other. */
function feed(
  arrivals: readonly Arrival[],
  settings: Omit<LifeSettings, 'typeCode'>,
): ModelAlarm[] {
  const alarms: ModelAlarm[] = []
  let watch: AlarmWatch | null = null
  let newest: number | null = null
  for (const arrival of arrivals) {
    const event = eventOf(arrival, newest)
    if (event.kind !== 'confirm') newest = Math.max(newest ?? event.time, event.time)
    const after: Step = step(watch, event, { typeCode: '3007', ...settings })
    ;({ watch } = after)
    const current: AlarmWatch | null = watch
    if (current === null) continue
    const { level, content, count, state, startTime, endTime } = current
    const seen = { level, content, count, state, startTime, endTime }
    if (after.isNew) alarms.push({ ...seen, steps: [] })
    const alarm = Object.assign(alarms.at(-1)!, seen)
    if (after.detail === null) continue
    const { alarmCode, ...told } = after.detail
    assert.equal(alarmCode, `3007000${told.currentLevel}`)
    alarm.steps.push(told)
  }
  return alarms
}

function eventOf(arrival: Arrival, newest: number | null): AlarmEvent {
  const { time, kind } = arrival
  if (kind === 'confirm') return { kind, time, user: arrival.user, comment: arrival.comment }
  const { content = '' } = arrival
  if (kind === 'near') return { kind, time, newest }
  if (kind === 'calm') return { kind, time, newest, content }
  return { kind: 'violation', time, newest, level: kind.level, items: ['x'], content }
}

test('any history gives what a look at the whole of it gives', () => {
  const property = fc.property(arrivals, life, (arrivals, settings) => {
    assert.deepEqual(feed(arrivals, settings), replay(arrivals, settings).alarms)
  })
  fc.assert(property, { numRuns: 3000 })
})

test('records that are sent again, at any time later, change nothing', () => {
  const distinct = fc.uniqueArray(record, { selector: ({ time }) => time, maxLength: 12 })
  const property = fc.property(
    distinct,
    fc.infiniteStream(fc.nat(11)),
    life,
    (records, random, settings) => {
      const inOrder = records.toSorted((a, b) => a.time - b.time)
      const withRepeats = inOrder.flatMap((arrival, index) => {
        const again = random.next().value
        return again <= index ? [arrival, inOrder[again]!, arrival] : [arrival]
      })

      assert.deepEqual(feed(withRepeats, settings), feed(inOrder, settings))
    },
  )
  fc.assert(property, { numRuns: 1000 })
})

test('there is never more than one open alarm, and a closed one stays as it is', () => {
  const property = fc.property(arrivals, life, (arrivals, settings) => {
    let before: ModelAlarm[] = []
    for (let length = 1; length <= arrivals.length; length++) {
      const alarms = feed(arrivals.slice(0, length), settings)
      const closed = before.filter(({ state }) => state >= 3)

      assert.ok(alarms.filter(({ state }) => state < 3).length <= 1)
      assert.deepEqual(alarms.slice(0, closed.length), closed)
      before = alarms
    }
  })
  fc.assert(property, { numRuns: 300 })
})
