import type { Logger } from 'pino'
import { isPictured } from '../domain/alarms/alarm-snapshot.ts'
import { covers, shelvedUntil, shelvingEffect } from '../domain/alarms/shelving.ts'
import { isStateCode } from '../domain/alarms/state-code.ts'
import type { Catalogue } from '../domain/site/catalogue.ts'
import type { MaintenanceWindow } from '../domain/notifications/maintenance-window.ts'
import { notificationId, type Notification } from '../domain/notifications/notification.ts'
import { planDeliveries, planReminder } from '../domain/notifications/plan-deliveries.ts'
import type { NotificationRule } from '../domain/notifications/notification-rule.ts'
import { eventOf } from '../domain/notifications/notification-event.ts'
import type {
  DueReminder,
  FanOut,
  NewDelivery,
  NewReminder,
  NewSnapshot,
  Storage,
  OutboxEntry,
} from '../storage/storage.ts'
import { alarmFacts, camerasOf, currentTransition, notifiedAlarm } from './describe-alarm.ts'

export type FanOutOptions = {
  storage: Pick<Storage, 'outbox' | 'maintenance' | 'shelvings'>
  catalogue(): Promise<Catalogue>
  rules: readonly NotificationRule[]
  log: Logger
  now(): number
}

/** Entries that are planned in one transaction. */
const ENTRIES_AT_ONCE = 200
const WINDOWS_MAXIMUM = 10_000

/**
 * Plans the deliveries and snapshots of every waiting entry of the outbox, and the deliveries of every
 * reminder that is due.
 */
export async function fanOut(options: FanOutOptions, signal: AbortSignal): Promise<void> {
  const { outbox } = options.storage
  while (!signal.aborted) {
    const entries = await outbox.list(ENTRIES_AT_ONCE)
    if (entries.length === 0) break
    await outbox.fanOut(await planAll(options, entries))
  }
  while (!signal.aborted) {
    const now = options.now()
    const due = await outbox.listDueReminders(now, ENTRIES_AT_ONCE)
    if (due.length === 0) break
    // Together, so that reminders of many alarms take few commits.
    await Promise.all(due.map((reminder) => remind(options, reminder, now)))
  }
}

async function planAll(options: FanOutOptions, entries: readonly OutboxEntry[]): Promise<FanOut> {
  const { catalogue: load, rules, log, now, storage } = options
  const [catalogue, restoredAt] = await Promise.all([load(), storage.outbox.findRestoredAt()])
  const earliest = Math.min(...entries.map(({ createdAt }) => createdAt), now())
  const windows = await listWindows(options, earliest)
  const alarms = [...new Set(entries.map(({ alarm }) => alarm))]
  const shelvings = Map.groupBy(await storage.shelvings.listOf(alarms), ({ alarm }) => alarm)
  const endedShelvings: NonNullable<FanOut['endedShelvings']>[number][] = []
  const deliveries: NewDelivery[] = []
  const reminders: NewReminder[] = []
  const snapshots: NewSnapshot[] = []
  const ended: number[] = []
  for (const { id, alarm, step, transition, createdAt, isLate } of entries) {
    if (transition === undefined) {
      log.warn(`transition ${step} of alarm ${alarm} no longer exists and is not notified`)
      continue
    }
    const { alarmState } = transition.detail
    if (!isStateCode(alarmState)) {
      log.warn(
        `transition ${step} of alarm ${alarm} has the unknown state ${alarmState} and is not notified`,
      )
      continue
    }
    const event = eventOf(alarmState)
    const facts = alarmFacts(transition.alarm, transition.detail.currentLevel, catalogue)
    const circumstances = { rules, windows, now: now() }
    const recordAt = facts.zone.toInstant(transition.detail.time)
    if (isPictured({ isNew: event === 'new', isLate, recordAt, storedAt: createdAt }))
      for (const camera of camerasOf(transition.alarm, catalogue))
        snapshots.push({ alarm, camera, dueAt: createdAt })
    const isEnd = event === 'cleared' || event === 'confirmed'
    const shelved = shelvings.get(alarm) ?? []
    const { suppressedBy: shelving, ends } = shelvingEffect(
      shelved,
      { isEscalation: event === 'escalated', isEnd, isLate, createdAt },
      circumstances.now,
    )
    if (ends !== undefined) {
      endedShelvings.push({ alarm, at: createdAt, by: ends })
      shelvings.set(
        alarm,
        shelved.map((one) => (covers(one, createdAt) ? { ...one, endedAt: createdAt } : one)),
      )
    }
    const plan = planDeliveries({ alarm: facts, event, isLate, createdAt, shelving }, circumstances)
    for (const { channel, rules: names, reason } of plan.deliveries) {
      const message: Notification = {
        id: notificationId({ alarm, step, createdAt }, restoredAt),
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
    if (isEnd) ended.push(alarm)
  }
  return {
    entries: entries.map(({ id }) => id),
    events: entries.filter(({ transition }) => transition !== undefined),
    deliveries,
    reminders,
    snapshots,
    endedShelvings,
    endedAlarms: ended,
  }
}

async function remind(options: FanOutOptions, reminder: DueReminder, now: number): Promise<void> {
  const { storage, catalogue: load, rules, log } = options
  const { alarm, channel, at, stored, isWaiting } = reminder
  if (stored === undefined) return storage.outbox.remind(reminder, null)
  const current = currentTransition(stored)
  if (!isStateCode(current.alarmState)) {
    log.warn(`alarm ${alarm} has the unknown state ${current.alarmState}: its reminders end`)
    return storage.outbox.remind(reminder, null)
  }
  const catalogue = await load()
  const shelvings = await storage.shelvings.list(alarm)
  const plan = planReminder(
    {
      shelvedUntil: shelvedUntil(shelvings, now),
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
    event: eventOf(current.alarmState),
    rules: plan.rules,
    alarm: notifiedAlarm(stored, current, catalogue),
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

/** The maintenance windows that end after an instant. */
const listWindows = ({ storage }: FanOutOptions, since: number): Promise<MaintenanceWindow[]> =>
  storage.maintenance.list({ since, limit: WINDOWS_MAXIMUM })
