import type { SqlBool } from 'kysely'
import type { Columns, SqlEngine } from './engine.ts'
import type { Statement } from './statement.ts'
import { ALARM_COLUMNS, toAlarm, type AlarmRow } from './alarm-rows.ts'
import { insertDeliveries } from './deliveries.ts'
import { endShelvings } from './shelvings.ts'
import { insertEvents } from './events.ts'
import { insertSnapshots } from './snapshots.ts'
import type { DueReminder, NewReminder, OutboxEntry, OutboxStore } from '../stores/outbox.ts'

export function outboxStore({ build, all, first, write }: SqlEngine): OutboxStore {
  return {
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
      return (await all(query.compile())).map(toEntry)
    },

    async findRestoredAt() {
      const query = build.selectFrom('meta').select('value').where('key', '=', 'restored_at')
      return (await first(query.compile()))?.value
    },

    async fanOut({
      entries,
      events = [],
      deliveries,
      reminders,
      snapshots,
      endedShelvings = [],
      endedAlarms,
    }) {
      const [first, others] = [true, false].map((isFirst) =>
        reminders.filter((one) => one.isFirst === isFirst),
      )
      await write([
        {
          sql: `delete from outbox where id = ?`,
          width: 1,
          values: entries,
          expected: entries.length,
        },
        insertEvents(events),
        insertDeliveries(deliveries),
        insertReminders(first ?? [], 'nothing'),
        insertReminders(others ?? [], 'update set next_at = excluded.next_at'),
        insertSnapshots(snapshots),
        ...(['escalation', 'close'] as const).map((by) =>
          endShelvings(
            endedShelvings.filter((one) => one.by === by),
            by,
          ),
        ),
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
      return (await all(query.compile())).map(toReminder)
    },

    async listRemindable(after, limit) {
      const query = build
        .selectFrom('alarms')
        .select('alarms.id')
        .select(ALARM_COLUMNS)
        .where('alarms.id', '>', after)
        .where('alarms.state', '<', FIRST_CLOSED_STATE)
        .where(({ exists, selectFrom, not, or }) => {
          const own = selectFrom('deliveries')
            .select('deliveries.id')
            .whereRef('deliveries.alarm_id', '=', 'alarms.id')
          const timely = own.where((where) =>
            where.or([where('reason', 'is', null), where('reason', 'not like', 'late:%')]),
          )
          return or([not(exists(own)), exists(timely)])
        })
        .orderBy('alarms.id')
        .limit(limit)
      return (await all(query.compile())).map(toAlarm)
    },

    async addReminders(reminders) {
      await write([insertReminders(reminders, 'nothing')])
    },

    async remind({ alarm, channel, at }, next, delivery) {
      const change: Statement =
        next === null
          ? {
              sql: `delete from reminders where alarm_id = ? and channel = ? and next_at = ?`,
              width: 3,
              values: [alarm, channel, at],
            }
          : {
              sql: `update reminders set next_at = ?
                where alarm_id = ? and channel = ? and next_at = ?`,
              width: 4,
              values: [next, alarm, channel, at],
            }
      await write([
        { ...change, expected: 1 },
        ...(delivery === undefined ? [] : [insertDeliveries([delivery])]),
      ])
    },
  }
}

const FIRST_CLOSED_STATE = 3

const insertReminders = (
  reminders: readonly Omit<NewReminder, 'isFirst'>[],
  onConflict: 'nothing' | 'update set next_at = excluded.next_at',
): Statement => ({
  sql: `insert into reminders (alarm_id, channel, next_at) values (?, ?, ?)
    on conflict (alarm_id, channel) do ${onConflict}`,
  width: 3,
  values: reminders.flatMap(({ alarm, channel, at }) => [alarm, channel, at]),
})

/** The columns of a joined row, which are all null where it does not exist any more. */
type Joined<Row> = { [Name in keyof Row]: Row[Name] | null }

type JoinedAlarm = Joined<Omit<AlarmRow, 'id'>> & { id: number }

const hasAlarm = <Row extends JoinedAlarm>(row: Row): row is Row & AlarmRow =>
  row.structure_id !== null

type StepRow = Columns<'alarm_details', 'alarm_code' | 'alarm_state' | 'current_level' | 'time'> & {
  step_content: string
}

const hasStep = <Row extends Joined<StepRow>>(row: Row): row is Row & StepRow =>
  row.alarm_state !== null

type EntryRow = JoinedAlarm &
  Joined<StepRow> &
  Columns<'outbox', 'step' | 'is_late' | 'created_at'> & { entry: number }

const toEntry = (row: EntryRow): OutboxEntry => ({
  id: row.entry,
  alarm: row.id,
  step: row.step,
  isLate: row.is_late === 1,
  createdAt: row.created_at,
  transition:
    hasAlarm(row) && hasStep(row)
      ? {
          alarm: toAlarm(row),
          detail: {
            alarmCode: row.alarm_code,
            alarmState: row.alarm_state,
            currentLevel: row.current_level,
            content: row.step_content,
            time: row.time,
          },
        }
      : undefined,
})

type ReminderRow = JoinedAlarm &
  Columns<'reminders', 'channel' | 'next_at'> & { is_waiting: SqlBool }

const toReminder = (row: ReminderRow): DueReminder => ({
  alarm: row.id,
  channel: row.channel,
  at: row.next_at,
  stored: hasAlarm(row) ? toAlarm(row) : undefined,
  isWaiting: Boolean(row.is_waiting),
})
