import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { runs } from '../../../test/_random.ts'
import { eventOf, replay, type Arrival, type ModelAlarm } from './_alarm-model.ts'
import { apply } from './_apply.ts'
import type { AlarmEvent, LifecycleSettings } from './alarm-lifecycle.ts'
import type { AlarmState } from './alarm-state.ts'

const SETTINGS: LifecycleSettings = {
  typeCode: '3007',
  severity: 'lowestFirst',
  clearAfter: 1,
  needsPerson: false,
}

/** Opened at 1000 while the clock was far ahead; now it is 100. */
const AHEAD: AlarmState = {
  stateCode: 0,
  level: 2,
  content: 'first',
  count: 1,
  startTime: 1000,
  endTime: 1000,
  items: ['x'],
  violationAt: 1000,
  normalAt: null,
  normalCount: 0,
}

const violation = (time: number, level = 2, newest: number | null = 90): AlarmEvent => {
  return { kind: 'violation', time, newest, level, items: ['x'], content: `violation at ${time}` }
}
const normal = (time: number, newest: number | null = 90): AlarmEvent => {
  return { kind: 'normal', time, newest, content: 'back' }
}

describe('an alarm from a clock that was ahead', () => {
  test('is repeated by a record of today, and begins then', () => {
    const { state, detail, isLate } = apply(AHEAD, violation(100), SETTINGS, 200)

    const { stateCode, count, startTime, endTime, violationAt } = state!
    assert.deepEqual([stateCode, count, startTime, endTime, violationAt], [1, 2, 100, 100, 100])
    assert.deepEqual([detail?.time, isLate], [100, false])
  })

  test('gets a worse level from a record of today', () => {
    const { state } = apply(AHEAD, violation(100, 1), SETTINGS, 200)

    assert.deepEqual([state!.stateCode, state!.level], [2, 1])
  })

  test('is cleared by a record of today, and ends then', () => {
    const { state } = apply(AHEAD, normal(100), SETTINGS, 200)

    assert.deepEqual([state!.stateCode, state!.startTime, state!.endTime], [3, 100, 100])
  })

  test('is confirmed at the time of the person', () => {
    const event: AlarmEvent = { kind: 'confirmation', time: 100, user: '7', comment: '' }

    const { state } = apply(AHEAD, event, SETTINGS, 200)

    assert.deepEqual([state!.stateCode, state!.startTime, state!.endTime], [4, 100, 100])
  })

  test('that was closed then is followed by a new one', () => {
    const { state, isNew } = apply({ ...AHEAD, stateCode: 4 }, violation(100), SETTINGS, 200)

    assert.deepEqual([isNew, state!.startTime], [true, 100])
  })

  test('stays as it is for late records', () => {
    for (const event of [violation(80), normal(80), normal(90, 100)])
      assert.equal(apply(AHEAD, event, SETTINGS, 200).state, AHEAD)
  })

  test('is as it was for whoever believes its times', () => {
    assert.equal(apply(AHEAD, violation(100), SETTINGS, 1000).state, AHEAD)
  })
})

const kinds = fc.constantFrom(
  { level: 1 },
  { level: 2 },
  { level: 3 },
  'normal',
  'normal',
  'deadband',
)

/** Records and persons, and for each how far the clock is believed: no record lies beyond it. */
const arrivals: fc.Arbitrary<Arrival[]> = fc.array(
  fc
    .record({
      horizon: fc.integer({ min: 0, max: 12 }),
      before: fc.nat(6),
      kind: fc.oneof(
        { weight: 9, arbitrary: kinds },
        { weight: 1, arbitrary: fc.constant('confirmation') },
      ),
    })
    .map(({ horizon, before, kind }): Arrival => {
      const at = { time: Math.max(0, horizon - before), horizon }
      if (kind === 'confirmation')
        return { ...at, kind, alarm: 'newest', user: '7', comment: 'seen' }
      return {
        ...at,
        kind: kind as { level: number } | 'normal' | 'deadband',
        content: `at ${at.time}`,
      }
    }),
  { maxLength: 40 },
)

test('under a clock that jumps, any history gives what a look at the whole of it gives', () => {
  fc.assert(
    fc.property(arrivals, fc.integer({ min: 1, max: 3 }), fc.nat(5), fc.boolean(), (...given) => {
      const [history, clearAfter, milliseconds, needsPerson] = given
      const clearAfterMinutes = milliseconds / 60_000
      const severity = 'lowestFirst'
      const settings = { clearAfter, clearAfterMinutes, needsPerson, severity } as const

      assert.deepEqual(feed(history, settings), replay(history, settings).alarms)
    }),
    { numRuns: runs(3000) },
  )
})

/** What the incremental engine makes of arrivals, one after the other. */
function feed(
  history: readonly Arrival[],
  settings: Omit<LifecycleSettings, 'typeCode'>,
): ModelAlarm[] {
  const alarms: ModelAlarm[] = []
  const times: number[] = []
  let state: AlarmState | null = null
  for (const arrival of history) {
    const { horizon = Infinity } = arrival
    const newest = Math.max(...times.filter((time) => time <= horizon))
    const event = eventOf(arrival, newest === -Infinity ? null : newest)
    if (arrival.kind !== 'confirmation') times.push(arrival.time)
    const after = apply(state, event, { typeCode: '3007', ...settings }, horizon)
    const before: AlarmState | null = state
    ;({ state } = after)
    if (state === null || after.detail === null) {
      assert.deepEqual(before && spanOf(before), state && spanOf(state))
      continue
    }
    const { level, content, count, stateCode } = state
    const seen = { level, content, count, state: stateCode, ...spanOf(state) }
    if (after.isNew) alarms.push({ type: 'threshold', ...seen, steps: [] })
    const { alarmCode: _, ...listed } = after.detail
    Object.assign(alarms.at(-1)!, seen).steps.push(listed)
  }
  return alarms
}

const spanOf = ({ startTime, endTime }: AlarmState) => ({ startTime, endTime })
