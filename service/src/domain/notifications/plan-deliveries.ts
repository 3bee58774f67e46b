import { isInMaintenance, type MaintenanceWindow } from './maintenance-window.ts'
import { quietUntil } from './quiet-hours.ts'
import { coversAlarm, includesEvent, type NotificationRule } from './rules.ts'
import type { AlarmFacts } from './alarm-facts.ts'
import type { NotificationEvent } from './notification-event.ts'

/** The delivery of a transition to one channel; with a reason it is suppressed. */
export type PlannedDelivery = Readonly<{
  channel: string
  /** The rules that name the channel. */
  rules: readonly string[]
  reason: string | null
}>

export type DeliveryPlan = Readonly<{
  deliveries: readonly PlannedDelivery[]
  /**
   * The channels that get a reminder, and when. `isFirst`: a reminder that is set already stays,
   * since nothing about this transition is sent to the channel.
   */
  reminders: readonly Readonly<{ channel: string; at: number; isFirst: boolean }>[]
}>

type Circumstances = Readonly<{
  rules: readonly NotificationRule[]
  windows: readonly MaintenanceWindow[]
  now: number
}>

/**
 * Plans the deliveries of a transition: one for every channel that a rule names, sent or with a reason.
 *
 * Quiet hours are those at the moment of sending. Maintenance counts at the moment of the transition,
 * too: what work has caused is not sent when the work is over.
 */
export function planDeliveries(
  transition: Readonly<{
    alarm: AlarmFacts
    event: NotificationEvent
    isLate: boolean
    /** When the transition was stored. */
    createdAt: number
  }>,
  { rules, windows, now }: Circumstances,
): DeliveryPlan {
  const { alarm, event, isLate, createdAt } = transition
  const applicable = rules.filter((rule) => coversAlarm(rule, alarm))
  const work = windows.find(
    (window) => isInMaintenance(window, alarm, createdAt) || isInMaintenance(window, alarm, now),
  )
  const deliveries = byChannel(applicable.filter((rule) => includesEvent(rule, event))).map(
    ([channel, naming]) => {
      const names = naming.map(({ name }) => name)
      return { channel, rules: names, reason: reasonFor(naming) }
    },
  )

  const isOver = event === 'cleared' || event === 'confirmed'
  if (isOver || isLate) return { deliveries, reminders: [] }
  const reminders = byChannel(applicable.filter(hasReminder)).map(([channel, withReminder]) => {
    const isSent = deliveries.some((one) => one.channel === channel && one.reason === null)
    return { channel, at: now + shortest(withReminder), isFirst: !isSent }
  })
  return { deliveries, reminders }

  function reasonFor(naming: readonly NotificationRule[]): string | null {
    if (isLate) return 'late: the record is older than the newest of its source'
    if (work !== undefined) return `maintenance ${work.id}: ${work.reason}`
    const isQuiet = naming.every((rule) => isQuietFor(rule, alarm, now) !== undefined)
    return isQuiet ? `quiet hours of ${naming.map(({ name }) => name).join(', ')}` : null
  }
}

/** A maintenance window may be ended early: a reminder checks again after this time. */
const WORK_LOOK_MILLISECONDS = 60_000

/**
 * What to do with a reminder whose time has come: send it, postpone it, or end it because no rule
 * asks for it any more. Quiet hours and maintenance postpone it until they are over.
 */
export type ReminderPlan =
  | Readonly<{ kind: 'send'; rules: readonly string[]; next: number }>
  | Readonly<{ kind: 'wait'; next: number }>
  | Readonly<{ kind: 'end' }>

export function planReminder(
  reminder: Readonly<{
    channel: string
    alarm: AlarmFacts
    isOpen: boolean
    /** Something about the alarm still waits for this channel. */
    isWaiting: boolean
  }>,
  { rules, windows, now }: Circumstances,
): ReminderPlan {
  const { channel, alarm, isOpen, isWaiting } = reminder
  const withReminder = rules.filter(
    (rule) => hasReminder(rule) && rule.to.includes(channel) && coversAlarm(rule, alarm),
  )
  if (!isOpen || withReminder.length === 0) return { kind: 'end' }

  const work = windows.filter((window) => isInMaintenance(window, alarm, now))
  if (work.length > 0)
    return {
      kind: 'wait',
      next: Math.min(
        Math.max(...work.map(({ endsAt }) => endsAt)) + 1,
        now + Math.min(WORK_LOOK_MILLISECONDS, shortest(withReminder)),
      ),
    }
  const quiet = withReminder.map((rule) => isQuietFor(rule, alarm, now))
  const active = withReminder.filter((_, at) => quiet[at] === undefined)
  if (active.length === 0) return { kind: 'wait', next: Math.min(...quiet.map((end) => end!)) }
  const next = now + shortest(active)
  if (isWaiting) return { kind: 'wait', next }
  return { kind: 'send', rules: active.map(({ name }) => name), next }
}

const isQuietFor = (
  { quietHours = [] }: NotificationRule,
  { level, zone }: AlarmFacts,
  now: number,
) => quietUntil(quietHours, level, now, zone)

const hasReminder = ({ reminderEvery }: NotificationRule): boolean => reminderEvery !== undefined

const shortest = (rules: readonly NotificationRule[]): number =>
  Math.min(...rules.map(({ reminderEvery }) => reminderEvery ?? Infinity)) * 1000

/** The channels in the order in which rules name them, each with its rules. */
function byChannel(rules: readonly NotificationRule[]): [string, NotificationRule[]][] {
  const channels = [...new Set(rules.flatMap(({ to }) => to))]
  return channels.map((channel) => [channel, rules.filter(({ to }) => to.includes(channel))])
}
