import type { Logger } from 'pino'
import type { AlarmStateCode } from '../domain/alarms/lifecycle-table.ts'
import type { Catalogue } from '../domain/site/catalogue.ts'
import type { MaintenanceWindow } from '../domain/notifications/maintenance-window.ts'
import { notificationId, type Notification } from '../domain/notifications/notification.ts'
import { planDeliveries, planReminder } from '../domain/notifications/plan-deliveries.ts'
import type { NotificationRule } from '../domain/notifications/rules.ts'
import { eventOf } from '../domain/notifications/notification-event.ts'
import type {
  DueReminder,
  FanOut,
  NewDelivery,
  NewReminder,
  Storage,
  OutboxEntry,
} from '../storage/storage.ts'
import { currentStep, alarmFacts, notifiedAlarm } from './describe-alarm.ts'

export type FanOutOptions = {
  storage: Pick<Storage, 'outbox' | 'maintenance'>
  catalogue(): Promise<Catalogue>
  rules: readonly NotificationRule[]
  log: Logger
  now(): number
}

/** So many are taken up in one transaction. */
const BATCH = 200
const WINDOWS_MAXIMUM = 10_000

/** Takes up every notice that waits and every reminder whose time has come. */
export async function fanOut(options: FanOutOptions, signal: AbortSignal): Promise<void> {
  const { outbox } = options.storage
  while (!signal.aborted) {
    const notices = await outbox.list(BATCH)
    if (notices.length === 0) break
    await outbox.fanOut(await planAll(options, notices))
  }
  while (!signal.aborted) {
    const now = options.now()
    const due = await outbox.listDueReminders(now, BATCH)
    if (due.length === 0) break
    // Together: what many alarms wait for is written down in few commits.
    await Promise.all(due.map((reminder) => remind(options, reminder, now)))
  }
}

async function planAll(options: FanOutOptions, notices: readonly OutboxEntry[]): Promise<FanOut> {
  const { catalogue: load, rules, log, now } = options
  const catalogue = await load()
  const earliest = Math.min(...notices.map(({ createdAt }) => createdAt), now())
  const windows = await listWindows(options, earliest)
  const deliveries: NewDelivery[] = []
  const reminders: NewReminder[] = []
  const ended: number[] = []
  for (const notice of notices) {
    const { id, alarm, step, transition, createdAt, isLate } = notice
    if (transition === undefined) {
      log.warn(`step ${step} of alarm ${alarm} is gone: nobody is told of it`)
      continue
    }
    const event = eventOf(transition.detail.alarmState as AlarmStateCode)
    const facts = alarmFacts(transition.alarm, transition.detail.currentLevel, catalogue)
    const circumstances = { rules, windows, now: now() }
    const plan = planDeliveries({ alarm: facts, event, isLate, createdAt }, circumstances)
    for (const { channel, rules: names, reason } of plan.deliveries) {
      const message: Notification = {
        id: notificationId(alarm, step),
        kind: 'alarm',
        event,
        rules: names,
        alarm: notifiedAlarm(transition.alarm, transition.detail, catalogue),
      }
      deliveries.push({
        kind: 'alarm',
        outboxEntry: id,
        alarm,
        step,
        structure: transition.alarm.structure,
        channel,
        rules: names,
        message: JSON.stringify(message),
        reason,
        createdAt: now(),
      })
    }
    reminders.push(...plan.reminders.map((reminder) => ({ alarm, ...reminder })))
    if (event === 'cleared' || event === 'confirmed') ended.push(alarm)
  }
  return { entries: notices.map(({ id }) => id), deliveries, reminders, endedAlarms: ended }
}

async function remind(options: FanOutOptions, reminder: DueReminder, now: number): Promise<void> {
  const { storage, catalogue: load, rules } = options
  const { alarm, channel, at, stored, isWaiting } = reminder
  if (stored === undefined) return storage.outbox.remind(reminder, null)
  const catalogue = await load()
  const step = currentStep(stored)
  const plan = planReminder(
    {
      channel,
      alarm: alarmFacts(stored, stored.level, catalogue),
      isOpen: stored.state < FIRST_CLOSED_STATE,
      isWaiting,
    },
    { rules, windows: await listWindows(options, now), now },
  )
  if (plan.kind !== 'send')
    return storage.outbox.remind(reminder, plan.kind === 'end' ? null : plan.next)

  const message: Notification = {
    id: `alarm-${alarm}-reminder-${at}`,
    kind: 'reminder',
    event: eventOf(step.alarmState as AlarmStateCode),
    rules: plan.rules,
    alarm: notifiedAlarm(stored, step, catalogue),
  }
  await storage.outbox.remind(reminder, plan.next, {
    kind: 'reminder',
    outboxEntry: null,
    alarm,
    step: null,
    structure: stored.structure,
    channel,
    rules: plan.rules,
    message: JSON.stringify(message),
    reason: null,
    createdAt: now,
  })
}

const FIRST_CLOSED_STATE = 3

/** Those that were not over at an instant; of one that never began nothing is left. */
const listWindows = ({ storage }: FanOutOptions, since: number): Promise<MaintenanceWindow[]> =>
  storage.maintenance.list({ since, limit: WINDOWS_MAXIMUM })
