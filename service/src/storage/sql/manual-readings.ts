import type { SqlEngine } from './engine.ts'
import type { Statement } from './statement.ts'
import type { ManualReading, ManualReadingStore } from '../stores/manual-readings.ts'

export function manualReadingStore({ build, all }: SqlEngine): ManualReadingStore {
  return {
    async list({ station, from, to, limit }) {
      const query = build
        .selectFrom('manual_readings')
        .select(['station_id as station', 'time', 'author', 'user_id as userId', 'note'])
        .select(['record', 'entered_at as enteredAt'])
        .where('station_id', '=', station)
        .where('time', '>=', from)
        .where('time', '<=', to)
        .orderBy('time', 'desc')
        .orderBy('id', 'desc')
        .limit(limit)
      return all(query.compile())
    },
  }
}

/** Statements that store readings. One that equals the latest of its instant was sent twice and is left out. */
export function insertManualReadings(readings: readonly ManualReading[]): Statement[] {
  if (readings.length === 0) return []
  return [
    {
      sql: `insert into manual_readings (station_id, time, author, user_id, note, record, entered_at)
        select * from (select ? as station_id, ? as time, ? as author, ? as user_id, ? as note,
          ? as record, ? as entered_at) as entered
        where not exists (select 1 from manual_readings as known
          where known.id = (select max(id) from manual_readings as latest
            where latest.station_id = entered.station_id and latest.time = entered.time)
          and known.author = entered.author and known.user_id = entered.user_id
          and known.note = entered.note and known.record = entered.record)`,
      width: 7,
      values: readings.flatMap(({ station, time, author, userId, note, record, enteredAt }) => [
        station,
        time,
        author,
        userId,
        note,
        record,
        enteredAt,
      ]),
    },
  ]
}

/** Deletes the readings of a station before an instant. */
export const deleteManualReadings = (station: number, before: number): Statement => ({
  sql: `delete from manual_readings where station_id = ? and time < ?`,
  width: 2,
  values: [station, before],
})
