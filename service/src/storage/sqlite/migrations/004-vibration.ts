/** A batch's number and a piece's place in one: the pieces of a batch lie side by side. */
const pieceId = (batch: string, piece: string): string => `(${batch}) * 2097152 + ${piece}`

/**
 * Waveforms keep the exact instant of their trigger, and a checksum of every piece.
 *
 * Eight pieces fill a page: whole waveforms as one blob each leave the half of their last page
 * empty, which of short ones is a third of everything.
 */
export const vibration = [
  `alter table vibration_batches add column trigger_time integer not null default 0`,
  `alter table vibration_batches add column trigger_nanoseconds integer not null default 0`,
  `update vibration_batches set trigger_time = collect_time`,
  `create unique index vibration_batches_by_trigger
    on vibration_batches (station_id, trigger_time, trigger_nanoseconds)`,
  `create table vibration_pieces (id integer primary key, crc integer not null, samples blob not null)`,
  `with recursive cuts (at) as (select 0 union all select at + 1 from cuts where at < 511)
    insert into vibration_pieces (id, crc, samples)
    select ${pieceId('batch_id', 'piece * 512 + at')},
      crc32(substr(samples, 1 + 1024 * at, 1024)), substr(samples, 1 + 1024 * at, 1024)
    from vibration_samples, cuts where 1024 * at < length(samples)
    order by 1`,
  `drop table vibration_samples`,
  `create trigger vibration_pieces_go after delete on vibration_batches begin
    delete from vibration_pieces
    where id >= ${pieceId('old.id', '0')} and id < ${pieceId('old.id + 1', '0')};
  end`,
] as const
