import type { Shelving } from '../alarms/shelving.ts'
import { isInMaintenance, type MaintenanceWindow } from './maintenance-window.ts'
import { quietUntil } from './quiet-hours.ts'
import { coversAlarm, includesEvent, type NotificationRule } from './notification-rule.ts'
import type { AlarmFacts } from './alarm-facts.ts'
import type { NotificationEvent } from './notification-event.ts'

/** The delivery of a transition to one channel; with a reason it is suppressed. */
type PlannedDelivery = Readonly<{
  channel: string
  /** The rules that name the channel. */
  rules: readonly string[]
  reason: string | null
}>

type DeliveryPlan = Readonly<{
  deliveries: readonly PlannedDelivery[]
  /**
   * The reminders of channels. With `isFirst` a reminder that is set already stays, because this
   * transition is not sent to the channel.
   */
  reminders: readonly Readonly<{ channel: string; at: number; isFirst: boolean }>[]
}>

type PlanningContext = Readonly<{
  rules: readonly NotificationRule[]
  windows: readonly MaintenanceWindow[]
  now: number
}>

/**
 * Plans the deliveries of a transition: one for every channel of an applicable rule.
 *
 * Quiet hours are those at the time of sending. Maintenance windows are those at the time of sending
 * and of the transition: alarms caused by work are not sent after the work.
 */
export function planDeliveries(
  transition: Readonly<{
    alarm: AlarmFacts
    event: NotificationEvent
    isLate: boolean
    /** The instant at which the transition was stored. */
    createdAt: number
    /** The shelving that keeps it from being notified. */
    shelving?: Shelving | undefined
  }>,
  { rules, windows, now }: PlanningContext,
): DeliveryPlan {
  const { alarm, event, isLate, createdAt, shelving } = transition
  const applicable = rules.filter((rule) => coversAlarm(rule, alarm))
  const maintenance = windows.find(
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
    if (shelving !== undefined) return `shelved by ${shelving.sponsor}: ${shelving.comment}`
    if (maintenance !== undefined) return `maintenance ${maintenance.id}: ${maintenance.reason}`
    const isQuiet = naming.every((rule) => isQuietFor(rule, alarm, now) !== undefined)
    return isQuiet ? `quiet hours of ${naming.map(({ name }) => name).join(', ')}` : null
  }
}

/** The first reminders of an alarm that was open before its rules had any, one for each channel. */
export const planFirstReminders = (
  alarm: AlarmFacts,
  { rules, now }: Pick<PlanningContext, 'rules' | 'now'>,
): { channel: string; at: number }[] =>
  byChannel(rules.filter((rule) => hasReminder(rule) && coversAlarm(rule, alarm))).map(
    ([channel, naming]) => ({ channel, at: now + shortest(naming) }),
  )

/** A maintenance window or a shelving may be ended early: a postponed reminder is checked again after this time. */
const MAINTENANCE_CHECK_MILLISECONDS = 60_000

/**
 * The action of a due reminder: it is sent, postponed by quiet hours, maintenance, a shelving or a
 * waiting delivery, or ended because no rule requires it any more.
 */
type ReminderPlan =
  | Readonly<{ kind: 'send'; rules: readonly string[]; next: number }>
  | Readonly<{ kind: 'wait'; next: number }>
  | Readonly<{ kind: 'end' }>

/** Plans a due reminder. */
export function planReminder(
  reminder: Readonly<{
    channel: string
    alarm: AlarmFacts
    isOpen: boolean
    /** Whether a delivery of the alarm still waits for this channel. */
    isWaiting: boolean
    /** When its shelving ends; undefined where it is not shelved. */
    shelvedUntil?: number | undefined
  }>,
  { rules, windows, now }: PlanningContext,
): ReminderPlan {
  const { channel, alarm, isOpen, isWaiting, shelvedUntil } = reminder
  const withReminder = rules.filter(
    (rule) => hasReminder(rule) && rule.to.includes(channel) && coversAlarm(rule, alarm),
  )
  if (!isOpen || withReminder.length === 0) return { kind: 'end' }

  const maintenance = windows.filter((window) => isInMaintenance(window, alarm, now))
  const ends = maintenance.map(({ endsAt }) => endsAt + 1)
  if (shelvedUntil !== undefined) ends.push(shelvedUntil)
  if (ends.length > 0)
    return {
      kind: 'wait',
      next: Math.min(
        Math.max(...ends),
        now + Math.min(MAINTENANCE_CHECK_MILLISECONDS, shortest(withReminder)),
      ),
    }
  const quiet = withReminder.map((rule) => isQuietFor(rule, alarm, now))
  const active = withReminder.filter((_, at) => quiet[at] === undefined)
  if (active.length === 0)
    return { kind: 'wait', next: Math.min(...quiet.flatMap((end) => end ?? [])) }
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

/** The channels in the order of the rules, each with its rules. */
function byChannel(rules: readonly NotificationRule[]): [string, NotificationRule[]][] {
  const channels = [...new Set(rules.flatMap(({ to }) => to))]
  return channels.map((channel) => [channel, rules.filter(({ to }) => to.includes(channel))])
}
