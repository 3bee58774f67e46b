import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { replay, type Arrival, type ModelAlarm } from './_alarm-model.ts'
import { step, type AlarmEvent, type AlarmWatch, type LifeSettings } from './alarm-life.ts'

const SETTINGS: LifeSettings = {
  typeCode: '3007',
  severity: 'lowestFirst',
  clearAfter: 1,
  needsPerson: false,
}

/** Opened at 1000 while the clock was far ahead; now it is 100. */
const AHEAD: AlarmWatch = {
  state: 0,
  level: 2,
  content: 'first',
  count: 1,
  startTime: 1000,
  endTime: 1000,
  items: ['x'],
  violationAt: 1000,
  calmAt: null,
  calmRun: 0,
}

const violation = (time: number, level = 2, newest: number | null = 90): AlarmEvent => {
  return { kind: 'violation', time, newest, level, items: ['x'], content: `violation at ${time}` }
}
const calm = (time: number, newest: number | null = 90): AlarmEvent => {
  return { kind: 'calm', time, newest, content: 'back' }
}

describe('an alarm from a clock that was ahead', () => {
  test('is repeated by a record of today, and begins then', () => {
    const { watch, detail, isLate } = step(AHEAD, violation(100), SETTINGS, 200)

    const { state, count, startTime, endTime, violationAt } = watch!
    assert.deepEqual([state, count, startTime, endTime, violationAt], [1, 2, 100, 100, 100])
    assert.deepEqual([detail?.time, isLate], [100, false])
  })

  test('gets a worse level from a record of today', () => {
    const { watch } = step(AHEAD, violation(100, 1), SETTINGS, 200)

    assert.deepEqual([watch!.state, watch!.level], [2, 1])
  })

  test('is cleared by a record of today, and ends then', () => {
    const { watch } = step(AHEAD, calm(100), SETTINGS, 200)

    assert.deepEqual([watch!.state, watch!.startTime, watch!.endTime], [3, 100, 100])
  })

  test('is confirmed at the time of the person', () => {
    const event: AlarmEvent = { kind: 'confirm', time: 100, user: '7', comment: '' }

    const { watch } = step(AHEAD, event, SETTINGS, 200)

    assert.deepEqual([watch!.state, watch!.startTime, watch!.endTime], [4, 100, 100])
  })

  test('that was closed then is followed by a new one', () => {
    const { watch, isNew } = step({ ...AHEAD, state: 4 }, violation(100), SETTINGS, 200)

    assert.deepEqual([isNew, watch!.startTime], [true, 100])
  })

  test('stays as it is for late records', () => {
    for (const event of [violation(80), calm(80), calm(90, 100)])
      assert.equal(step(AHEAD, event, SETTINGS, 200).watch, AHEAD)
  })

  test('is as it was for whoever believes its times', () => {
    assert.equal(step(AHEAD, violation(100), SETTINGS, 1000).watch, AHEAD)
  })
})

const kinds = fc.constantFrom({ level: 1 }, { level: 2 }, { level: 3 }, 'calm', 'calm', 'near')

/** Records and persons, and for each how far the clock is believed: no record lies beyond it. */
const arrivals: fc.Arbitrary<Arrival[]> = fc.array(
  fc
    .record({
      horizon: fc.integer({ min: 0, max: 12 }),
      before: fc.nat(6),
      kind: fc.oneof(
        { weight: 9, arbitrary: kinds },
        { weight: 1, arbitrary: fc.constant('confirm') },
      ),
    })
    .map(({ horizon, before, kind }): Arrival => {
      const at = { time: Math.max(0, horizon - before), horizon }
      if (kind === 'confirm') return { ...at, kind, alarm: 'newest', user: '7', comment: 'seen' }
      return { ...at, kind: kind as { level: number } | 'calm' | 'near', content: `at ${at.time}` }
    }),
  { maxLength: 40 },
)

test('under a clock that jumps, any history gives what a look at the whole of it gives', () => {
  fc.assert(
    fc.property(arrivals, fc.integer({ min: 1, max: 3 }), fc.boolean(), (...given) => {
      const [history, clearAfter, needsPerson] = given
      const settings = { clearAfter, needsPerson, severity: 'lowestFirst' } as const

      assert.deepEqual(feed(history, settings), replay(history, settings).alarms)
    }),
    { numRuns: 3000 },
  )
})

/** What the incremental engine makes of arrivals, one after the other. */
function feed(history: readonly Arrival[], settings: Omit<LifeSettings, 'typeCode'>): ModelAlarm[] {
  const alarms: ModelAlarm[] = []
  const times: number[] = []
  let watch: AlarmWatch | null = null
  for (const arrival of history) {
    const { horizon = Infinity } = arrival
    const newest = Math.max(...times.filter((time) => time <= horizon))
    const event = eventOf(arrival, newest === -Infinity ? null : newest)
    if (arrival.kind !== 'confirm') times.push(arrival.time)
    const after = step(watch, event, { typeCode: '3007', ...settings }, horizon)
    const before: AlarmWatch | null = watch
    ;({ watch } = after)
    if (watch === null || after.detail === null) {
      assert.deepEqual(before && spanOf(before), watch && spanOf(watch))
      continue
    }
    const { level, content, count, state } = watch
    const seen = { level, content, count, state, ...spanOf(watch) }
    if (after.isNew) alarms.push({ ...seen, steps: [] })
    const { alarmCode: _, ...told } = after.detail
    Object.assign(alarms.at(-1)!, seen).steps.push(told)
  }
  return alarms
}

const spanOf = ({ startTime, endTime }: AlarmWatch) => ({ startTime, endTime })

function eventOf(arrival: Arrival, newest: number | null): AlarmEvent {
  const { time, kind } = arrival
  if (kind === 'confirm') return { kind, time, user: arrival.user, comment: arrival.comment }
  const { content = '' } = arrival
  if (kind === 'near') return { kind, time, newest }
  if (kind === 'calm') return { kind, time, newest, content }
  return { kind: 'violation', time, newest, level: kind.level, items: ['x'], content }
}
