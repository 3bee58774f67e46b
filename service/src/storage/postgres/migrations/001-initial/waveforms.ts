import { ID, TEXT } from '../column-types.ts'

/** Waveforms with the exact instant of their trigger. */
export const waveforms = [
  `create table waveforms (
    id ${ID},
    station_id bigint not null,
    collect_time bigint not null,
    trigger_time bigint not null,
    trigger_nanoseconds bigint not null,
    sample_freq ${TEXT} not null,
    unit ${TEXT} not null,
    count bigint not null,
    sample_bytes bigint not null,
    unique (station_id, collect_time),
    unique (station_id, trigger_time, trigger_nanoseconds)
  )`,
  // The id of a chunk is 2,097,152 times that of its waveform, plus its index: the chunks of a
  // waveform are consecutive.
  `create table waveform_chunks (
    id bigint primary key,
    crc bigint not null,
    samples bytea not null
  )`,
  `alter table waveform_chunks alter column samples set storage external`,
] as const
