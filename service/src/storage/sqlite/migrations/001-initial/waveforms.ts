/** Waveforms with the exact instant of their trigger. */
export const waveforms = [
  `create table waveforms (
    id integer primary key autoincrement,
    station_id integer not null,
    collect_time integer not null,
    trigger_time integer not null,
    trigger_nanoseconds integer not null,
    sample_freq text not null,
    unit text not null,
    count integer not null,
    sample_bytes integer not null,
    unique (station_id, collect_time),
    unique (station_id, trigger_time, trigger_nanoseconds)
  )`,
  // Eight chunks fill a page. One blob for each waveform would leave half of its last page empty,
  // which for short ones is a third of all bytes. The id of a chunk is 2,097,152 times that of its
  // waveform, plus its index: the chunks of a waveform are consecutive.
  `create table waveform_chunks (
    id integer primary key,
    crc integer not null,
    samples blob not null
  )`,
] as const
