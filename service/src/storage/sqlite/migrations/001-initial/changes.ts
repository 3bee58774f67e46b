/** Takes away the chunks of a waveform. */
const deleteChunks = (waveform: string): string => `delete from waveform_chunks
      where id >= (${waveform}) * 2097152 and id < (${waveform} + 1) * 2097152`

/** Changes that can be undone: what each wrote, and what it replaced. */
export const changes = [
  `create table changes (
    id integer primary key autoincrement,
    kind text not null,
    description text not null,
    started_at integer not null,
    finished_at integer,
    undone_at integer
  )`,
  // `written`: the CRC-32 of the record that the change wrote. `previous`: the record that it replaced.
  `create table change_records (
    change_id integer not null references changes (id) on delete cascade,
    kind text not null,
    source integer not null,
    time integer not null,
    written integer,
    previous text,
    primary key (change_id, kind, source, time)
  ) without rowid`,
  `create table change_vehicles (
    change_id integer not null references changes (id) on delete cascade,
    structure_id integer not null,
    time integer not null,
    identity text not null,
    overload integer not null,
    license text not null,
    load real not null,
    record text not null,
    details text not null,
    primary key (change_id, structure_id, time, identity)
  ) without rowid`,
  // `sources`: stations with records that belong to the waveform, as JSON. `written`: the id of the
  // waveform that the change wrote. `previous`: the id of the one that it replaced, whose chunks are
  // kept until the change is undone or expires.
  `create table change_waveforms (
    change_id integer not null references changes (id) on delete cascade,
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
    primary key (change_id, station_id, trigger_time, trigger_nanoseconds)
  ) without rowid`,
  `create index change_waveforms_by_previous on change_waveforms (previous)
    where previous is not null`,
  `create trigger waveforms_removed after delete on waveforms
    when not exists (select 1 from change_waveforms where previous = old.id)
    begin ${deleteChunks('old.id')}; end`,
  `create trigger change_waveforms_removed after delete on change_waveforms
    when old.previous is not null
      and not exists (select 1 from waveforms where id = old.previous)
      and not exists (select 1 from change_waveforms where previous = old.previous)
    begin ${deleteChunks('old.previous')}; end`,
] as const
