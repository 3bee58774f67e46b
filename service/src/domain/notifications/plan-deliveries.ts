import { isInMaintenance, type MaintenanceWindow } from './maintenance-window.ts'
import { quietUntil } from './quiet-hours.ts'
import { isAbout, tellsOf, type NotificationRule } from './rules.ts'
import type { Subject } from './subject.ts'
import type { NotificationEvent } from './notification-event.ts'

/** What one channel has to do with a step of an alarm; with a reason it is not told. */
export type PlannedDelivery = Readonly<{
  channel: string
  /** The rules that name the channel. */
  rules: readonly string[]
  reason: string | null
}>

export type NoticePlan = Readonly<{
  deliveries: readonly PlannedDelivery[]
  /**
   * The channels that are reminded, and when. `isFirst`: a reminder that is set already stays,
   * since this step tells the channel nothing.
   */
  reminders: readonly Readonly<{ channel: string; at: number; isFirst: boolean }>[]
}>

type Circumstances = Readonly<{
  rules: readonly NotificationRule[]
  windows: readonly MaintenanceWindow[]
  now: number
}>

/**
 * Decides who is told of a step: every channel that a rule names is told once, or has a reason.
 *
 * Quiet hours are those of the moment in which people would be told. Maintenance counts at the
 * moment of the step, too: what work has caused is not told when the work is over.
 */
export function planNotice(
  notice: Readonly<{
    subject: Subject
    event: NotificationEvent
    isLate: boolean
    /** When the step was written down. */
    createdAt: number
  }>,
  { rules, windows, now }: Circumstances,
): NoticePlan {
  const { subject, event, isLate, createdAt } = notice
  const about = rules.filter((rule) => isAbout(rule, subject))
  const work = windows.find(
    (window) =>
      isInMaintenance(window, subject, createdAt) || isInMaintenance(window, subject, now),
  )
  const deliveries = byChannel(about.filter((rule) => tellsOf(rule, event))).map(
    ([channel, naming]) => {
      const names = naming.map(({ name }) => name)
      return { channel, rules: names, reason: reasonFor(naming) }
    },
  )

  const isOver = event === 'cleared' || event === 'confirmed'
  if (isOver || isLate) return { deliveries, reminders: [] }
  const reminders = byChannel(about.filter(isReminding)).map(([channel, reminding]) => {
    const told = deliveries.some((one) => one.channel === channel && one.reason === null)
    return { channel, at: now + shortest(reminding), isFirst: !told }
  })
  return { deliveries, reminders }

  function reasonFor(naming: readonly NotificationRule[]): string | null {
    if (isLate) return 'late: the record is older than the newest of its source'
    if (work !== undefined) return `maintenance ${work.id}: ${work.reason}`
    const isQuiet = naming.every((rule) => isQuietFor(rule, subject, now) !== undefined)
    return isQuiet ? `quiet hours of ${naming.map(({ name }) => name).join(', ')}` : null
  }
}

/** Work may end before it was to end: so often it is asked again whether it is still done. */
const WORK_LOOK_MILLISECONDS = 60_000

/**
 * What becomes of a reminder whose time has come: it is told, comes again later, or ends because
 * no rule asks for it any more. Quiet hours and maintenance put it off until they are over.
 */
export type ReminderPlan =
  | Readonly<{ kind: 'tell'; rules: readonly string[]; next: number }>
  | Readonly<{ kind: 'wait'; next: number }>
  | Readonly<{ kind: 'end' }>

export function planReminder(
  reminder: Readonly<{
    channel: string
    subject: Subject
    isOpen: boolean
    /** Something about the alarm still waits for this channel. */
    isWaiting: boolean
  }>,
  { rules, windows, now }: Circumstances,
): ReminderPlan {
  const { channel, subject, isOpen, isWaiting } = reminder
  const reminding = rules.filter(
    (rule) => isReminding(rule) && rule.to.includes(channel) && isAbout(rule, subject),
  )
  if (!isOpen || reminding.length === 0) return { kind: 'end' }

  const work = windows.filter((window) => isInMaintenance(window, subject, now))
  if (work.length > 0)
    return {
      kind: 'wait',
      next: Math.min(
        Math.max(...work.map(({ endsAt }) => endsAt)) + 1,
        now + Math.min(WORK_LOOK_MILLISECONDS, shortest(reminding)),
      ),
    }
  const quiet = reminding.map((rule) => isQuietFor(rule, subject, now))
  const loud = reminding.filter((_, at) => quiet[at] === undefined)
  if (loud.length === 0) return { kind: 'wait', next: Math.min(...quiet.map((end) => end!)) }
  const next = now + shortest(loud)
  if (isWaiting) return { kind: 'wait', next }
  return { kind: 'tell', rules: loud.map(({ name }) => name), next }
}

const isQuietFor = ({ quietHours = [] }: NotificationRule, { level, zone }: Subject, now: number) =>
  quietUntil(quietHours, level, now, zone)

const isReminding = ({ reminderEvery }: NotificationRule): boolean => reminderEvery !== undefined

const shortest = (rules: readonly NotificationRule[]): number =>
  Math.min(...rules.map(({ reminderEvery }) => reminderEvery ?? Infinity)) * 1000

/** The channels in the order in which rules name them, each with its rules. */
function byChannel(rules: readonly NotificationRule[]): [string, NotificationRule[]][] {
  const channels = [...new Set(rules.flatMap(({ to }) => to))]
  return channels.map((channel) => [channel, rules.filter(({ to }) => to.includes(channel))])
}
