import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { zone } from '../time/local-time.ts'
import type { MaintenanceWindow } from './maintenance-window.ts'
import { planDeliveries, planReminder } from './plan-deliveries.ts'
import type { NotificationRule } from './notification-rule.ts'
import type { AlarmFacts } from './alarm-facts.ts'
import { NOTIFICATION_EVENTS, type NotificationEvent } from './notification-event.ts'

const UTC = zone('UTC')
const NOON = Date.UTC(2026, 4, 4, 12)
const NIGHT = Date.UTC(2026, 4, 4, 23)
const MORNING = Date.UTC(2026, 4, 5, 6)
const NIGHTLY = [{ from: '22:00', to: '06:00', exceptLevels: [1] }]

const facts = (parts: Partial<AlarmFacts> = {}): AlarmFacts => ({
  structure: 1,
  stations: [1001],
  level: 2,
  category: 1,
  zone: UTC,
  ...parts,
})

const rule = (parts: Partial<NotificationRule> = {}): NotificationRule => ({
  name: 'office',
  to: ['mail'],
  ...parts,
})

const window = (parts: Partial<MaintenanceWindow> = {}): MaintenanceWindow => ({
  id: 4,
  structures: [1],
  stations: [],
  startsAt: NOON - 1000,
  endsAt: NOON + 1000,
  reason: 'new cables',
  ...parts,
})

type Given = {
  event?: NotificationEvent
  isLate?: boolean
  createdAt?: number
  about?: Partial<AlarmFacts>
}

function plan(
  rules: readonly NotificationRule[],
  { event = 'new', isLate = false, createdAt, about = {} }: Given = {},
  { now = NOON, windows = [] }: { now?: number; windows?: readonly MaintenanceWindow[] } = {},
) {
  const transition = { alarm: facts(about), event, isLate, createdAt: createdAt ?? now }
  return planDeliveries(transition, { rules, windows, now })
}

const reasons = (...given: Parameters<typeof plan>): (string | null)[] =>
  plan(...given).deliveries.map(({ reason }) => reason)

const remind = (
  rules: readonly NotificationRule[],
  parts: Partial<Parameters<typeof planReminder>[0]> = {},
  { now = NOON, windows = [] }: { now?: number; windows?: readonly MaintenanceWindow[] } = {},
) =>
  planReminder(
    { channel: 'mail', alarm: facts(), isOpen: true, isWaiting: false, ...parts },
    { rules, windows, now },
  )

describe('the deliveries of a transition', () => {
  test('every channel of every rule that is about it, once', () => {
    const rules = [
      rule({ to: ['mail', 'sms'] }),
      rule({ name: 'boss', to: ['mail'] }),
      rule({ name: 'other', structures: [2], to: ['elsewhere'] }),
    ]

    assert.deepEqual(plan(rules).deliveries, [
      { channel: 'mail', rules: ['office', 'boss'], reason: null },
      { channel: 'sms', rules: ['office'], reason: null },
    ])
  })

  test('a rule is about its structures, levels and types; left out, about all', () => {
    for (const [parts, isAbout] of [
      [{}, true],
      [{ structures: [2, 1] }, true],
      [{ structures: [2] }, false],
      [{ levels: [2] }, true],
      [{ levels: [1, 3] }, false],
      [{ types: [1] }, true],
      [{ types: [2, 3, 4, 5] }, false],
      [{ structures: [] }, false],
    ] as const)
      assert.equal(plan([rule(parts)]).deliveries.length, isAbout ? 1 : 0, JSON.stringify(parts))
  })

  test('a rule without events is about all but repetitions', () => {
    const sent = NOTIFICATION_EVENTS.filter(
      (event) => plan([rule()], { event }).deliveries.length > 0,
    )

    assert.deepEqual(sent, ['new', 'escalated', 'cleared', 'confirmed'])
    const repeated = plan([rule({ events: ['repeated'] })], { event: 'repeated' })
    assert.equal(repeated.deliveries.length, 1)
  })

  test('nobody of what is late, and that is written down', () => {
    const { deliveries, reminders } = plan([rule({ reminderEvery: 60 })], { isLate: true })

    assert.match(deliveries[0]!.reason!, /^late: /)
    assert.deepEqual(reminders, [])
  })

  test('nobody while work is done there, by its number and reason', () => {
    const windows = [window()]

    assert.deepEqual(reasons([rule()], {}, { windows }), ['maintenance 4: new cables'])
    assert.deepEqual(reasons([rule()], {}, { windows, now: NOON + 1001 }), [null])
    assert.deepEqual(reasons([rule()], { about: { structure: 2 } }, { windows }), [null])
  })

  test('nobody of what happened during work either, once the work is over', () => {
    const later = { windows: [window()], now: NOON + 5000 }

    assert.deepEqual(reasons([rule()], { createdAt: NOON }, later), ['maintenance 4: new cables'])
  })

  test('nobody whose rules are all in their quiet hours', () => {
    const quiet = rule({ quietHours: NIGHTLY })

    assert.deepEqual(reasons([quiet], {}, { now: NIGHT }), ['quiet hours of office'])
    assert.deepEqual(reasons([quiet], {}, { now: MORNING }), [null])
    assert.deepEqual(reasons([quiet], { about: { level: 1 } }, { now: NIGHT }), [null])
    assert.deepEqual(reasons([quiet, rule({ name: 'duty' })], {}, { now: NIGHT }), [null])
  })
})

describe('reminders', () => {
  const reminding = rule({ reminderEvery: 60 })

  test('are set by a transition that is sent, and begin again with each', () => {
    const { reminders } = plan([reminding, rule({ name: 'b', to: ['mail'], reminderEvery: 90 })])

    assert.deepEqual(reminders, [{ channel: 'mail', at: NOON + 60_000, isFirst: false }])
  })

  test('are set by a transition that is not sent, but not postponed by it', () => {
    const repeated = plan([reminding], { event: 'repeated' })
    const quiet = plan([{ ...reminding, quietHours: NIGHTLY }], {}, { now: NIGHT })

    assert.deepEqual(repeated.reminders, [{ channel: 'mail', at: NOON + 60_000, isFirst: true }])
    assert.deepEqual(quiet.reminders, [{ channel: 'mail', at: NIGHT + 60_000, isFirst: true }])
  })

  test('are not set by the end of an alarm', () => {
    for (const event of ['cleared', 'confirmed'] as const)
      assert.deepEqual(plan([reminding], { event }).reminders, [])
  })

  test('are sent at their time, and again after the same', () => {
    assert.deepEqual(remind([reminding]), { kind: 'send', rules: ['office'], next: NOON + 60_000 })
  })

  test('end with the alarm, and when no rule asks for them any more', () => {
    assert.deepEqual(remind([reminding], { isOpen: false }), { kind: 'end' })
    assert.deepEqual(remind([rule()]), { kind: 'end' })
    assert.deepEqual(remind([{ ...reminding, to: ['sms'] }]), { kind: 'end' })
    assert.deepEqual(remind([{ ...reminding, levels: [1] }]), { kind: 'end' })
  })

  test('wait for the end of quiet hours and of maintenance, and then come at once', () => {
    const quiet = { ...reminding, quietHours: NIGHTLY }

    assert.deepEqual(remind([quiet], {}, { now: NIGHT }), { kind: 'wait', next: MORNING })
    assert.deepEqual(remind([reminding], {}, { windows: [window()] }), {
      kind: 'wait',
      next: NOON + 1001,
    })
  })

  test('ask again whether work is still done, since it may have ended before its time', () => {
    const windows = [window({ endsAt: NOON + 86_400_000 })]

    for (const reminderEvery of [60, 3600])
      assert.deepEqual(remind([{ ...reminding, reminderEvery }], {}, { windows }), {
        kind: 'wait',
        next: NOON + 60_000,
      })
  })

  test('of several rules come by those that are not quiet', () => {
    const rules = [
      { ...reminding, quietHours: NIGHTLY },
      rule({ name: 'duty', reminderEvery: 600 }),
    ]

    assert.deepEqual(remind(rules, {}, { now: NIGHT }), {
      kind: 'send',
      rules: ['duty'],
      next: NIGHT + 600_000,
    })
  })

  test('are left out while something about the alarm still waits', () => {
    assert.deepEqual(remind([reminding], { isWaiting: true }), {
      kind: 'wait',
      next: NOON + 60_000,
    })
  })
})

describe('any rules and any step', () => {
  const list = fc.uniqueArray(fc.integer({ min: 1, max: 3 }))
  const anyRule: fc.Arbitrary<NotificationRule> = fc.record(
    {
      name: fc.constantFrom('a', 'b', 'c'),
      structures: list,
      levels: list,
      types: list,
      events: fc.uniqueArray(fc.constantFrom(...NOTIFICATION_EVENTS)),
      to: fc.uniqueArray(fc.constantFrom('mail', 'sms', 'hook'), { minLength: 1 }),
      quietHours: fc.constant(NIGHTLY),
      reminderEvery: fc.integer({ min: 1, max: 10_000 }),
    },
    { requiredKeys: ['name', 'to'] },
  )
  const some = fc.integer({ min: 1, max: 3 })
  const about = fc.record({ structure: some, level: some, category: some })
  const step = fc.record({
    event: fc.constantFrom(...NOTIFICATION_EVENTS),
    isLate: fc.boolean(),
    about,
  })

  test('a channel is planned once if and only if a rule names it, sent or with a reason', () => {
    const now = fc.constantFrom(NOON, NIGHT)
    const windows = fc.constantFrom([], [window()])
    fc.assert(
      fc.property(fc.array(anyRule), step, now, windows, (rules, given, at, work) => {
        const { deliveries, reminders } = plan(rules, given, { now: at, windows: work })
        const matching = rules.filter(
          ({ structures, levels, types, events }) =>
            (structures?.includes(given.about.structure) ?? true) &&
            (levels?.includes(given.about.level) ?? true) &&
            (types?.includes(given.about.category) ?? true) &&
            (events?.includes(given.event) ?? given.event !== 'repeated'),
        )
        const named = new Set(matching.flatMap(({ to }) => to))
        assert.deepEqual(deliveries.map(({ channel }) => channel).toSorted(), [...named].toSorted())
        for (const { reason } of deliveries) {
          assert.notEqual(reason, '')
          if (given.isLate) assert.notEqual(reason, null)
        }
        for (const reminder of reminders) assert.ok(reminder.at > at)
        assert.equal(new Set(reminders.map(({ channel }) => channel)).size, reminders.length)
      }),
    )
  })
})
