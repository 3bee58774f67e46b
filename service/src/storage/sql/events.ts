import type { SqlEngine } from './engine.ts'
import type { Statement } from './statement.ts'
import { ALARM_COLUMNS, toAlarm } from './alarm-rows.ts'
import type { EventStore } from '../stores/events.ts'
import type { OutboxEntry } from '../stores/outbox.ts'

/** The instance that plans deliveries adds events, one after another: their ids follow the commits. */
export const insertEvents = (
  entries: readonly Pick<OutboxEntry, 'alarm' | 'step' | 'createdAt'>[],
): Statement => ({
  sql: `insert into alarm_events (alarm_id, step, created_at) values (?, ?, ?)`,
  width: 3,
  values: entries.flatMap(({ alarm, step, createdAt }) => [alarm, step, createdAt]),
})

export function eventStore({ build, all, row, write }: SqlEngine): EventStore {
  return {
    async bounds() {
      const found = await row<[number | null, number | null]>(
        `select (select min(id) from alarm_events), (select max(id) from alarm_events)`,
      )
      const [first, last] = found ?? []
      return { first: first ?? 0, last: last ?? 0 }
    },

    async list(after, limit) {
      const query = build
        .selectFrom('alarm_events')
        .leftJoin('alarms', 'alarms.id', 'alarm_events.alarm_id')
        .leftJoin('alarm_details', (join) =>
          join
            .onRef('alarm_details.alarm_id', '=', 'alarm_events.alarm_id')
            .onRef('alarm_details.step', '=', 'alarm_events.step'),
        )
        .select(['alarm_events.id as event', 'alarm_events.alarm_id as id', 'alarm_events.step'])
        .select(['sponsor', 'alarm_code', 'alarm_state', 'current_level'])
        .select(['alarm_details.content as step_content', 'alarm_details.time'])
        .select(ALARM_COLUMNS)
        .where('alarm_events.id', '>', after)
        .orderBy('alarm_events.id')
        .limit(limit)
      const rows = await all(query.compile())
      return {
        last: rows.at(-1)?.event ?? after,
        events: rows.filter(isWhole).map((one) => ({
          id: one.event,
          step: one.step,
          alarm: toAlarm(one),
          detail: {
            sponsor: one.sponsor,
            alarmCode: one.alarm_code,
            alarmState: one.alarm_state,
            currentLevel: one.current_level,
            content: one.step_content,
            time: one.time,
          },
        })),
      }
    },

    async expire(before) {
      await write([
        {
          sql: `delete from alarm_events where created_at < ?
            and id < (select max(id) from alarm_events)`,
          width: 1,
          values: [before],
        },
      ])
    },
  }
}

type Whole<Row> = { [Name in keyof Row]: NonNullable<Row[Name]> }

/** The columns of an alarm or transition that was deleted are null. */
const isWhole = <Row extends { structure_id: unknown; alarm_state: unknown }>(
  row: Row,
): row is Row & Whole<Row> => row.structure_id !== null && row.alarm_state !== null
