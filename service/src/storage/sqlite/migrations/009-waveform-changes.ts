/** A piece's number, as in 004-vibration. */
const piecesOf = (batch: string): string =>
  `delete from vibration_pieces where id >= (${batch}) * 2097152 and id < (${batch} + 1) * 2097152`

/**
 * Waveforms that a change wrote, and those that were there before.
 *
 * The pieces of such a one stay where they are until the change is undone or forgotten.
 */
export const waveformChanges = [
  // `sources`: stations with records that belong to the batch, as JSON. Without a `previous` one
  // there was none.
  `create table change_batches (
    change integer not null references changes (id) on delete cascade,
    station_id integer not null,
    trigger_time integer not null,
    trigger_nanoseconds integer not null,
    collect_time integer not null,
    sources text not null,
    written integer,
    previous integer,
    sample_freq text,
    unit text,
    count integer,
    sample_bytes integer,
    primary key (change, station_id, trigger_time, trigger_nanoseconds)
  ) without rowid`,
  `create index change_batches_by_previous on change_batches (previous) where previous is not null`,
  `drop trigger vibration_pieces_go`,
  `create trigger vibration_pieces_go after delete on vibration_batches
    when not exists (select 1 from change_batches where previous = old.id)
    begin ${piecesOf('old.id')}; end`,
  `create trigger change_batches_go after delete on change_batches
    when old.previous is not null
      and not exists (select 1 from vibration_batches where id = old.previous)
      and not exists (select 1 from change_batches where previous = old.previous)
    begin ${piecesOf('old.previous')}; end`,
] as const
