import { statement, type SqlEngine, type Statement } from './engine.ts'
import { ALARM_COLUMNS, toAlarm, type AlarmRow } from './alarm-rows.ts'
import { insertDeliveries } from './deliveries.ts'
import type { Tables } from './tables.ts'
import type { NewOutboxEntry, DueReminder, OutboxStore, OutboxEntry } from '../storage.ts'

const insertEntries = (entries: readonly NewOutboxEntry[]): Statement => ({
  sql: `insert into outbox (alarm_id, step, is_late, created_at) values (?, ?, ?, ?)`,
  width: 4,
  values: entries.flatMap(({ alarm, step, isLate, createdAt }) => [
    alarm,
    step,
    isLate ? 1 : 0,
    createdAt,
  ]),
})

export function outboxStore({ build, all, write }: SqlEngine): OutboxStore {
  return {
    async add(entries) {
      if (entries.length > 0) await write([insertEntries(entries)])
    },

    async list(limit) {
      const query = build
        .selectFrom('outbox')
        .leftJoin('alarms', 'alarms.id', 'outbox.alarm_id')
        .leftJoin('alarm_details', (join) =>
          join
            .onRef('alarm_details.alarm_id', '=', 'outbox.alarm_id')
            .onRef('alarm_details.step', '=', 'outbox.step'),
        )
        .select(['outbox.id as entry', 'outbox.alarm_id as id'])
        .select(['outbox.step', 'is_late', 'created_at', 'alarm_code', 'alarm_state'])
        .select(['current_level', 'alarm_details.content as step_content', 'alarm_details.time'])
        .select(ALARM_COLUMNS)
        .orderBy('outbox.id')
        .limit(limit)
      return (await all<EntryRow>(query.compile())).map(toEntry)
    },

    async fanOut({ entries, deliveries, reminders, endedAlarms }) {
      const set = (isFirst: boolean): Statement => ({
        sql: `insert into reminders (alarm_id, channel, next_at) values (?, ?, ?)
          on conflict (alarm_id, channel) do ${isFirst ? 'nothing' : 'update set next_at = excluded.next_at'}`,
        width: 3,
        values: reminders
          .filter((one) => one.isFirst === isFirst)
          .flatMap(({ alarm, channel, at }) => [alarm, channel, at]),
      })
      await write([
        {
          sql: `delete from outbox where id = ?`,
          width: 1,
          values: entries,
          expected: entries.length,
        },
        insertDeliveries(deliveries),
        set(true),
        set(false),
        { sql: `delete from reminders where alarm_id = ?`, width: 1, values: endedAlarms },
      ])
    },

    async listDueReminders(now, limit) {
      const query = build
        .selectFrom('reminders')
        .leftJoin('alarms', 'alarms.id', 'reminders.alarm_id')
        .select(['reminders.alarm_id as id', 'channel', 'next_at'])
        .select(ALARM_COLUMNS)
        .select(({ exists, selectFrom }) =>
          exists(
            selectFrom('deliveries')
              .select('deliveries.id')
              .whereRef('deliveries.alarm_id', '=', 'reminders.alarm_id')
              .whereRef('deliveries.channel', '=', 'reminders.channel')
              .where('deliveries.state', '=', 'waiting'),
          ).as('is_waiting'),
        )
        .where('next_at', '<=', now)
        .orderBy('next_at')
        .limit(limit)
      return (await all<ReminderRow>(query.compile())).map(toReminder)
    },

    async remind({ alarm, channel, at }, next, delivery) {
      const change: Statement =
        next === null
          ? {
              sql: `delete from reminders where alarm_id = ? and channel = ? and next_at = ?`,
              width: 3,
              values: [alarm, channel, at],
            }
          : statement({
              sql: `update reminders set next_at = ?
                where alarm_id = ? and channel = ? and next_at = ?`,
              parameters: [next, alarm, channel, at],
            })
      await write([
        { ...change, expected: 1 },
        ...(delivery === undefined ? [] : [insertDeliveries([delivery])]),
      ])
    },
  }
}

/** Of an alarm that is gone every column is null. */
type Joined = AlarmRow & { structure_id: number | null }

type EntryRow = Joined & {
  entry: number
  step: number
  is_late: number
  created_at: number
  alarm_code: string
  alarm_state: Tables['alarm_details']['alarm_state'] | null
  current_level: number
  step_content: string
  time: string
}

const toEntry = (row: EntryRow): OutboxEntry => ({
  id: row.entry,
  alarm: row.id,
  step: row.step,
  isLate: row.is_late === 1,
  createdAt: row.created_at,
  transition:
    row.structure_id === null || row.alarm_state === null
      ? undefined
      : {
          alarm: toAlarm(row),
          detail: {
            alarmCode: row.alarm_code,
            alarmState: row.alarm_state,
            currentLevel: row.current_level,
            content: row.step_content,
            time: row.time,
          },
        },
})

type ReminderRow = Joined & { channel: string; next_at: number; is_waiting: number }

const toReminder = (row: ReminderRow): DueReminder => ({
  alarm: row.id,
  channel: row.channel,
  at: row.next_at,
  stored: row.structure_id === null ? undefined : toAlarm(row),
  isWaiting: Boolean(row.is_waiting),
})
