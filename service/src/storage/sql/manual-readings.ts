import type { SqlEngine } from './engine.ts'
import type { Statement } from './statement.ts'
import type { ManualReading, ManualReadingStore } from '../stores/manual-readings.ts'

export function manualReadingStore({ build, all }: SqlEngine): ManualReadingStore {
  const readings = build
    .selectFrom('manual_readings')
    .select(['station_id as station', 'time', 'author', 'user_id as userId', 'note', 'record'])
    .select(['quality', 'entered_at as enteredAt', 'change_id as change', 'undone_at as undoneAt'])
  return {
    async list({ station, from, to, limit }) {
      const query = readings
        .where('station_id', '=', station)
        .where('time', '>=', from)
        .where('time', '<=', to)
        .orderBy('time', 'desc')
        .orderBy('id', 'desc')
        .limit(limit)
      return all(query.compile())
    },

    async findLatest(station, time) {
      const query = readings
        .where('station_id', '=', station)
        .where('time', '=', time)
        .orderBy('id', 'desc')
        .limit(1)
      return (await all(query.compile()))[0]
    },
  }
}

/**
 * Statements that store readings. One that equals the latest of its instant and change was sent twice
 * and is left out.
 */
export function insertManualReadings(readings: readonly ManualReading[]): Statement[] {
  if (readings.length === 0) return []
  return [
    {
      sql: `insert into manual_readings
          (station_id, time, author, user_id, note, record, quality, entered_at, change_id)
        select * from (select cast(? as bigint) as station_id, cast(? as bigint) as time,
          cast(? as text) as author, cast(? as bigint) as user_id, cast(? as text) as note,
          cast(? as text) as record, cast(? as text) as quality, cast(? as bigint) as entered_at,
          cast(? as bigint) as change_id) as entered
        where not exists (select 1 from manual_readings as known
          where known.id = (select max(id) from manual_readings as latest
            where latest.station_id = entered.station_id and latest.time = entered.time)
          and known.author = entered.author and known.user_id = entered.user_id
          and known.note = entered.note and known.record = entered.record
          and known.quality is not distinct from entered.quality
          and known.change_id is not distinct from entered.change_id)`,
      width: 9,
      values: readings.flatMap((one) => [
        one.station,
        one.time,
        one.author,
        one.userId,
        one.note,
        one.record,
        one.quality,
        one.enteredAt,
        one.change,
      ]),
    },
  ]
}

/** Notes that the change of readings was undone. */
export const undoManualReadings = (change: number, now: number): Statement => ({
  sql: `update manual_readings set undone_at = ? where change_id = ?`,
  width: 2,
  values: [now, change],
})

/** Deletes the readings of a station before an instant. */
export const deleteManualReadings = (station: number, before: number): Statement => ({
  sql: `delete from manual_readings where station_id = ? and time < ?`,
  width: 2,
  values: [station, before],
})
