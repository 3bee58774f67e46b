import type { Statement } from './engine.ts'
import type { NewWaveform } from '../storage.ts'

type Remembered = {
  change: number
  batch: Pick<NewWaveform, 'station' | 'trigger'>
  collectTime: number
  /** Stations with records that belong to the batch. */
  sources: readonly number[]
}

/**
 * Keeps what a batch is about to replace: these go before the batch is written and after.
 *
 * Of several writes of one change the first one's earlier batch stays, which is what was there
 * before the change.
 */
export function rememberWaveform({ change, batch, collectTime, sources }: Remembered): {
  before: Statement
  after: Statement
} {
  const { station, trigger } = batch
  const identity = [station, trigger.time, trigger.nanoseconds]
  const known = [change, ...identity]
  return {
    before: {
      sql: `insert into change_waveforms (change_id, station_id, trigger_time, trigger_nanoseconds,
          collect_time, sources, previous, sample_freq, unit, count, sample_bytes)
        select ?, ?, ?, ?, ?, ?, old.id, old.sample_freq, old.unit, old.count, old.sample_bytes
        from (select 1) left join waveforms as old
          on old.station_id = ? and old.trigger_time = ? and old.trigger_nanoseconds = ?
        where true
        on conflict (change_id, station_id, trigger_time, trigger_nanoseconds)
          do update set collect_time = excluded.collect_time, sources = excluded.sources`,
      width: 9,
      values: [...known, collectTime, JSON.stringify(sources), ...identity],
      expected: 1,
    },
    after: {
      sql: `update change_waveforms set written = (select id from waveforms
          where station_id = ? and trigger_time = ? and trigger_nanoseconds = ?)
        where change_id = ? and station_id = ? and trigger_time = ? and trigger_nanoseconds = ?`,
      width: 7,
      values: [...identity, ...known],
      expected: 1,
    },
  }
}

/** A batch of a change, and the one that is there now. */
export type ChangedWaveform = {
  station: number
  time: number
  nanoseconds: number
  collectTime: number
  /** JSON. */
  sources: string
  /** `null`: the change took the batch away. */
  written: number | null
  previous: number | null
  current: number | null
  /** Whether another batch has its second now. */
  isTaken: number
}

export const CHANGED_WAVEFORMS = `select station_id as station, trigger_time as time,
    trigger_nanoseconds as nanoseconds, collect_time as collectTime, sources, written, previous,
    (select id from waveforms as now where now.station_id = change_waveforms.station_id
      and now.trigger_time = change_waveforms.trigger_time
      and now.trigger_nanoseconds = change_waveforms.trigger_nanoseconds) as current,
    exists (select 1 from waveforms as other
      where other.station_id = change_waveforms.station_id
      and other.collect_time = change_waveforms.collect_time
      and other.id is not change_waveforms.written) as isTaken
  from change_waveforms where change_id = ?
  order by station_id, trigger_time, trigger_nanoseconds limit ?`

/** Puts the earlier batch, if there was one, in the place of the one that the change wrote. */
export function restoreWaveform(
  change: number,
  { station, time, nanoseconds, written, previous }: ChangedWaveform,
): Statement[] {
  const removal: Statement = {
    sql: `delete from waveforms where id = ?`,
    width: 1,
    values: written === null ? [] : [written],
    expected: written === null ? 0 : 1,
  }
  if (previous === null) return [removal]
  const restoration: Statement = {
    sql: `insert into waveforms (id, station_id, collect_time, trigger_time,
        trigger_nanoseconds, sample_freq, unit, count, sample_bytes)
      select previous, station_id, collect_time, trigger_time,
        trigger_nanoseconds, sample_freq, unit, count, sample_bytes
      from change_waveforms where change_id = ? and station_id = ? and trigger_time = ? and trigger_nanoseconds = ?`,
    width: 4,
    values: [change, station, time, nanoseconds],
    expected: 1,
  }
  return [removal, restoration]
}

/** Forgets that a change wrote batches; the earlier ones go, unless they are there again. */
export const deleteChangeWaveforms = (
  change: number,
  batches: readonly ChangedWaveform[],
): Statement => ({
  sql: `delete from change_waveforms
    where change_id = ? and station_id = ? and trigger_time = ? and trigger_nanoseconds = ?`,
  width: 4,
  values: batches.flatMap(({ station, time, nanoseconds }) => [change, station, time, nanoseconds]),
})
