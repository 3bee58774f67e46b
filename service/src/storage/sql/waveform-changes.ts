import { rawQuery, type Columns } from './engine.ts'
import type { Statement } from './statement.ts'
import type { NewWaveform } from '../stores/waveforms.ts'

type ReplacedWaveform = {
  change: number
  waveform: Pick<NewWaveform, 'station' | 'trigger'>
  collectTime: number
  /** Stations with records that belong to the waveform. */
  sources: readonly number[]
}

/**
 * Statements that keep the waveform that a write replaces; one runs before the write and one after.
 *
 * After several writes of one change, the waveform from before the first write is kept.
 */
export function rememberWaveform({ change, waveform, collectTime, sources }: ReplacedWaveform): {
  before: Statement
  after: Statement
} {
  const { station, trigger } = waveform
  const identity = [station, trigger.time, trigger.nanoseconds]
  const known = [change, ...identity]
  return {
    before: {
      sql: `insert into change_waveforms (change_id, station_id, trigger_time, trigger_nanoseconds,
          collect_time, sources, previous, sample_freq, unit, count, sample_bytes)
        select ?, ?, ?, ?, ?, ?, old.id, old.sample_freq, old.unit, old.count, old.sample_bytes
        from (select 1 as one) as given left join waveforms as old
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

/** A waveform of a change, and the current one of the same trigger. */
type ChangedWaveform = Columns<
  'change_waveforms',
  | 'station_id'
  | 'trigger_time'
  | 'trigger_nanoseconds'
  | 'collect_time'
  | 'sources'
  | 'written'
  | 'previous'
> & {
  current: Columns<'waveforms', 'id'>['id'] | null
  /** Whether another waveform has its second by now. */
  is_taken: number
}

export const listChangedWaveforms = (change: number, limit: number) =>
  rawQuery<ChangedWaveform>(
    `select station_id, trigger_time, trigger_nanoseconds, collect_time, sources, written, previous,
      (select id from waveforms as now where now.station_id = change_waveforms.station_id
        and now.trigger_time = change_waveforms.trigger_time
        and now.trigger_nanoseconds = change_waveforms.trigger_nanoseconds) as current,
      exists (select 1 from waveforms as other
        where other.station_id = change_waveforms.station_id
        and other.collect_time = change_waveforms.collect_time
        and other.id is distinct from change_waveforms.written) as is_taken
    from change_waveforms where change_id = ?
    order by station_id, trigger_time, trigger_nanoseconds limit ?`,
    [change, limit],
  )

/** Statements that replace the waveform of a change by the earlier one, if there was one. */
export function restoreWaveform(
  change: number,
  { written, previous, ...row }: ChangedWaveform,
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
    values: [change, row.station_id, row.trigger_time, row.trigger_nanoseconds],
    expected: 1,
  }
  return [removal, restoration]
}

/** Deletes entries of a change; their chunks are deleted with them unless a waveform uses them again. */
export const deleteChangeWaveforms = (
  change: number,
  waveforms: readonly ChangedWaveform[],
): Statement => ({
  sql: `delete from change_waveforms
    where change_id = ? and station_id = ? and trigger_time = ? and trigger_nanoseconds = ?`,
  width: 4,
  values: waveforms.flatMap((row) => [
    change,
    row.station_id,
    row.trigger_time,
    row.trigger_nanoseconds,
  ]),
  expected: waveforms.length,
})
