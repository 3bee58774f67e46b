import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { AlarmEvent, LifecycleSettings } from './alarm-lifecycle.ts'
import type { AlarmState } from './alarm-state.ts'
import type { AlarmInput } from './lifecycle-table.ts'
import { apply, type Applied } from './_apply.ts'

const SETTINGS: LifecycleSettings = {
  typeCode: '3007',
  severity: 'lowestFirst',
  clearAfter: 2,
  needsPerson: false,
}

const OPEN: AlarmState = {
  stateCode: 0,
  level: 2,
  content: 'first',
  count: 1,
  startTime: 100,
  endTime: 100,
  items: ['x'],
  violationAt: 100,
  normalAt: null,
  normalCount: 0,
}

const IN_OFF_DELAY: AlarmState = { ...OPEN, normalAt: 200, normalCount: 1 }
const CLOSED: AlarmState = { ...OPEN, endTime: 300, normalAt: 300 }

const violation = (time: number, level = 2, newest: number | null = 100): AlarmEvent => {
  return { kind: 'violation', time, newest, level, items: ['x'], content: `violation at ${time}` }
}
const deadband = (time: number, newest: number | null = 100): AlarmEvent => {
  return { kind: 'deadband', time, newest }
}
const normal = (time: number, newest: number | null = 200): AlarmEvent => {
  return { kind: 'normal', time, newest, content: 'back' }
}
const CONFIRM: AlarmEvent = { kind: 'confirmation', time: 400, user: '7', comment: 'seen on site' }

type Phase = 'none' | 'new' | 'repeated' | 'escalated' | 'cleared' | 'confirmed'

const STATES: Record<Phase, AlarmState | null> = {
  none: null,
  new: IN_OFF_DELAY,
  repeated: { ...IN_OFF_DELAY, stateCode: 1 },
  escalated: { ...IN_OFF_DELAY, stateCode: 2 },
  cleared: { ...CLOSED, stateCode: 3 },
  confirmed: { ...CLOSED, stateCode: 4 },
}

/** An event that is what its name says when it meets any of the states above. */
const EVENTS: Record<
  AlarmInput['kind'],
  { event: AlarmEvent; settings?: Partial<LifecycleSettings> }
> = {
  violation: { event: violation(400, 2, 300) },
  escalation: { event: violation(400, 1, 300) },
  correction: { event: violation(100, 1, 300) },
  stale: { event: violation(100, 2, 300) },
  deadband: { event: deadband(400, 300) },
  normal: { event: normal(400, 300), settings: { clearAfter: 3 } },
  returnToNormal: { event: normal(400, 300) },
  latched: { event: normal(400, 300), settings: { needsPerson: true } },
  confirmation: { event: CONFIRM },
}

type Row = [
  phase: Phase,
  input: AlarmInput['kind'],
  detailState: number | null,
  changes: Partial<AlarmState> | null,
]

const REPEATED = {
  stateCode: 1,
  count: 2,
  endTime: 400,
  violationAt: 400,
  normalCount: 0,
  content: 'violation at 400',
}
const ESCALATED = { ...REPEATED, stateCode: 2, level: 1 }
const OPENED = {
  ...OPEN,
  startTime: 400,
  endTime: 400,
  violationAt: 400,
  content: 'violation at 400',
}
const OPENED_ESCALATED = { ...OPENED, level: 1 }
const CORRECTED = { stateCode: 2, level: 1, content: 'violation at 100' }
const FURTHER = { normalAt: 400, normalCount: 2 }
const CLEARED = { stateCode: 3, endTime: 400, normalCount: 0 }
const CONFIRMED = { stateCode: 4, endTime: 400, normalCount: 0 }

/** One row for each phase and event: the state code of the transition, and what changes; null: nothing. */
const TABLE = [
  ['none', 'violation', 0, OPENED],
  ['none', 'escalation', 0, OPENED_ESCALATED],
  ['none', 'correction', null, null],
  ['none', 'stale', null, null],
  ['none', 'deadband', null, null],
  ['none', 'normal', null, null],
  ['none', 'returnToNormal', null, null],
  ['none', 'latched', null, null],
  ['none', 'confirmation', null, null],

  ['new', 'violation', 1, REPEATED],
  ['new', 'escalation', 2, ESCALATED],
  ['new', 'correction', 2, CORRECTED],
  ['new', 'stale', null, null],
  ['new', 'deadband', null, { normalCount: 0 }],
  ['new', 'normal', null, FURTHER],
  ['new', 'returnToNormal', 3, CLEARED],
  ['new', 'latched', null, FURTHER],
  ['new', 'confirmation', 4, CONFIRMED],

  ['repeated', 'violation', 1, REPEATED],
  ['repeated', 'escalation', 2, ESCALATED],
  ['repeated', 'correction', 2, CORRECTED],
  ['repeated', 'stale', null, null],
  ['repeated', 'deadband', null, { normalCount: 0 }],
  ['repeated', 'normal', null, FURTHER],
  ['repeated', 'returnToNormal', 3, CLEARED],
  ['repeated', 'latched', null, FURTHER],
  ['repeated', 'confirmation', 4, CONFIRMED],

  ['escalated', 'violation', 1, REPEATED],
  ['escalated', 'escalation', 2, ESCALATED],
  ['escalated', 'correction', 2, CORRECTED],
  ['escalated', 'stale', null, null],
  ['escalated', 'deadband', null, { normalCount: 0 }],
  ['escalated', 'normal', null, FURTHER],
  ['escalated', 'returnToNormal', 3, CLEARED],
  ['escalated', 'latched', null, FURTHER],
  ['escalated', 'confirmation', 4, CONFIRMED],

  ['cleared', 'violation', 0, OPENED],
  ['cleared', 'escalation', 0, OPENED_ESCALATED],
  ['cleared', 'correction', null, null],
  ['cleared', 'stale', null, null],
  ['cleared', 'deadband', null, null],
  ['cleared', 'normal', null, null],
  ['cleared', 'returnToNormal', null, null],
  ['cleared', 'latched', null, null],
  ['cleared', 'confirmation', null, null],

  ['confirmed', 'violation', 0, OPENED],
  ['confirmed', 'escalation', 0, OPENED_ESCALATED],
  ['confirmed', 'correction', null, null],
  ['confirmed', 'stale', null, null],
  ['confirmed', 'deadband', null, null],
  ['confirmed', 'normal', null, null],
  ['confirmed', 'returnToNormal', null, null],
  ['confirmed', 'latched', null, null],
  ['confirmed', 'confirmation', null, null],
] as Row[]

describe('the table of an alarm', () => {
  test('has one row for each phase and event', () => {
    const rows = TABLE.map(([phase, input]) => `${phase} ${input}`)
    const all = Object.keys(STATES).flatMap((phase) =>
      Object.keys(EVENTS).map((input) => `${phase} ${input}`),
    )

    assert.deepEqual(rows.toSorted(), all.toSorted())
  })

  for (const [phase, input, detailState, changes] of TABLE) {
    const result =
      detailState === null ? 'lists no transition' : `lists a transition ${detailState}`
    test(`${phase}, ${input}: ${result}`, () => {
      const state = STATES[phase]
      const { event, settings } = EVENTS[input]

      const after = apply(state, event, { ...SETTINGS, ...settings })

      assert.equal(after.detail?.alarmState ?? null, detailState)
      assert.equal(after.isNew, detailState === 0)
      if (changes === null) assert.equal(after.state, state)
      else assert.deepEqual(after.state, { ...state, ...changes })
    })
  }
})

/** Runs events one after the other; each knows the newest record before it. */
function run(events: readonly AlarmEvent[], settings: Partial<LifecycleSettings> = {}): Applied[] {
  let state: AlarmState | null = null
  return events.map((event) => {
    const after = apply(state, event, { ...SETTINGS, ...settings })
    ;({ state } = after)
    return after
  })
}

describe('an alarm', () => {
  test('begins, repeats, is escalated, stays at its level, is cleared, and begins anew', () => {
    const steps = run([
      violation(1, 3, null),
      violation(2, 3, 1),
      violation(3, 1, 2),
      violation(4, 2, 3),
      normal(5, 4),
      normal(6, 5),
      violation(7, 3, 6),
    ])

    const listed = steps.map(({ detail, state, isNew }) => {
      return [detail?.alarmState, detail?.alarmCode, state?.level, state?.count, isNew]
    })
    assert.deepEqual(listed, [
      [0, '30070003', 3, 1, true],
      [1, '30070003', 3, 2, false],
      [2, '30070001', 1, 3, false],
      [1, '30070001', 1, 4, false],
      [undefined, undefined, 1, 4, false],
      [3, '30070001', 1, 4, false],
      [0, '30070003', 3, 1, true],
    ])
  })

  test('is escalated towards higher numbers where those are the more severe ones', () => {
    const [, second, third] = run([violation(1, 1, null), violation(2, 2, 1), violation(3, 1, 2)], {
      severity: 'highestFirst',
    })

    assert.equal(second?.detail?.alarmState, 2)
    assert.deepEqual([third?.detail?.alarmState, third?.state?.level], [1, 2])
  })

  test('keeps the content of its level when a milder record repeats it', () => {
    const [, last] = run([violation(1, 1, null), violation(2, 3, 1)])

    assert.equal(last?.state?.content, 'violation at 1')
    assert.equal(last?.detail?.content, 'violation at 2')
  })

  test('is not cleared by normal records that do not follow each other', () => {
    const steps = run([
      violation(1, 1, null),
      normal(2, 1),
      deadband(3, 2),
      normal(4, 3),
      violation(5, 1, 4),
      normal(6, 5),
    ])

    assert.equal(steps.at(-1)?.state?.stateCode, 1)
    assert.equal(steps.at(-1)?.state?.normalCount, 1)
  })

  test('that needs a person stays for any number of normal records, without changing', () => {
    const steps = run([violation(1, 1, null), normal(2, 1), normal(3, 2), normal(4, 3), CONFIRM], {
      needsPerson: true,
    })

    assert.equal(steps[3]?.state, steps[2]?.state)
    assert.equal(steps[3]?.state?.stateCode, 0)
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

    assert.deepEqual([late?.state, late?.detail], [null, null])
    assert.equal(afterEnd?.state?.stateCode, 4)
    assert.equal(afterEnd?.detail, null)
  })

  test('that is open is repeated by a late record after its last one, and nobody is notified', () => {
    const [, , , late, again] = run([
      violation(10, 2, null),
      normal(20, 10),
      deadband(30, 20),
      violation(15, 2, 30),
      violation(15, 2, 30),
    ])

    assert.deepEqual([late?.state?.count, late?.state?.endTime, late?.isLate], [2, 15, true])
    assert.equal(again?.state, late?.state)
  })

  test('is escalated, and not counted, by a more severe late record within it, and left by one before it', () => {
    const [, , within, before] = run([
      violation(10, 2, null),
      violation(20, 2, 10),
      violation(15, 1, 20),
      violation(5, 1, 20),
    ])

    assert.deepEqual(
      [within?.state?.stateCode, within?.state?.level, within?.state?.count],
      [2, 1, 2],
    )
    assert.equal(before?.state, within?.state)
  })

  test('survives the correction of its newest record, which then is the first normal one', () => {
    const [, , corrected, next] = run([
      violation(10, 2, null),
      violation(20, 2, 10),
      normal(20, 20),
      normal(30, 20),
    ])

    assert.deepEqual([corrected?.state?.stateCode, corrected?.state?.normalCount], [1, 1])
    assert.equal(next?.state?.stateCode, 3)
  })

  test('counts a record once that is corrected to and fro', () => {
    const steps = run([
      violation(10, 2, null),
      normal(10, 10),
      violation(10, 2, 10),
      normal(10, 10),
      violation(10, 2, 10),
    ])

    assert.equal(steps.at(-1)?.state?.count, 1)
    assert.equal(steps.filter(({ detail }) => detail !== null).length, 1)
  })

  test('gathers the items that were over their limits', () => {
    const other: AlarmEvent = { ...violation(2, 2, 1), items: ['y', 'x'] } as AlarmEvent
    const [, second] = run([violation(1, 2, null), other])

    assert.deepEqual(second?.state?.items, ['x', 'y'])
  })

  test('can be kept as JSON', () => {
    const [, last] = run([violation(1, 1, null), normal(2, 1)])

    assert.deepEqual(JSON.parse(JSON.stringify(last?.state)), last?.state)
  })
})
