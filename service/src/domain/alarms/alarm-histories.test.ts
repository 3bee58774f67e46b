import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { runs } from '../../../test/_random.ts'
import {
  eventOf,
  replay,
  type Arrival,
  type ModelAlarm,
  type RecordArrival,
} from './_alarm-model.ts'
import { apply, type Applied } from './_apply.ts'
import type { LifecycleSettings } from './alarm-lifecycle.ts'
import type { AlarmState } from './alarm-state.ts'

const kinds = fc.oneof(
  { weight: 4, arbitrary: fc.integer({ min: 1, max: 3 }).map((level) => ({ level })) },
  { weight: 4, arbitrary: fc.constant('normal' as const) },
  { weight: 1, arbitrary: fc.constant('deadband' as const) },
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
        kind: fc.constant('confirmation' as const),
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
  /** Instants are milliseconds here. */
  clearAfterMinutes: fc.constantFrom(0, 0, 1, 3, 7).map((milliseconds) => milliseconds / 60_000),
  needsPerson: fc.boolean(),
  severity: fc.constantFrom('lowestFirst' as const, 'highestFirst' as const),
})

/** What the incremental engine makes of arrivals, one after the other. */
function feed(
  arrivals: readonly Arrival[],
  settings: Omit<LifecycleSettings, 'typeCode'>,
): ModelAlarm[] {
  const alarms: ModelAlarm[] = []
  let state: AlarmState | null = null
  let newest: number | null = null
  for (const arrival of arrivals) {
    const event = eventOf(arrival, newest)
    if (event.kind !== 'confirmation') newest = Math.max(newest ?? event.time, event.time)
    const after: Applied = apply(state, event, { typeCode: '3007', ...settings })
    ;({ state } = after)
    const current: AlarmState | null = state
    if (current === null) continue
    const { level, content, count, stateCode, startTime, endTime } = current
    const seen = { level, content, count, state: stateCode, startTime, endTime }
    if (after.isNew) alarms.push({ type: 'threshold', ...seen, steps: [] })
    const alarm = Object.assign(alarms.at(-1)!, seen)
    if (after.detail === null) continue
    const { alarmCode, ...listed } = after.detail
    assert.equal(alarmCode, `3007000${listed.currentLevel}`)
    alarm.steps.push(listed)
  }
  return alarms
}

test('any history gives what a look at the whole of it gives', () => {
  const property = fc.property(arrivals, life, (arrivals, settings) => {
    assert.deepEqual(feed(arrivals, settings), replay(arrivals, settings).alarms)
  })
  fc.assert(property, { numRuns: runs(3000) })
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
  fc.assert(property, { numRuns: runs(1000) })
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
  fc.assert(property, { numRuns: runs(300) })
})
