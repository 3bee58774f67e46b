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
  // Eight chunks fill a page: whole waveforms as one blob each leave the half of their last page
  // empty, which of short ones is a third of everything. A chunk's id is its waveform's, times
  // 2,097,152, and its place: the chunks of a waveform lie side by side.
  `create table waveform_chunks (
    id integer primary key,
    crc integer not null,
    samples blob not null
  )`,
] as const
