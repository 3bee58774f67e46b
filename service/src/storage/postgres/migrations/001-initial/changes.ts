import { ID, TEXT } from '../column-types.ts'

/** Changes that can be undone: what each wrote, and what it replaced. */
export const changes = [
  `create table changes (
    id ${ID},
    kind ${TEXT} not null,
    description ${TEXT} not null,
    started_at bigint not null,
    finished_at bigint,
    undone_at bigint
  )`,
  // `written`: the CRC-32 of the record that the change wrote, with its marks. `previous`,
  // `previous_marks`: the record that it replaced, and its marks.
  `create table change_records (
    change_id bigint not null references changes (id) on delete cascade,
    kind ${TEXT} not null,
    source bigint not null,
    time bigint not null,
    written bigint,
    previous ${TEXT},
    previous_marks ${TEXT},
    primary key (change_id, kind, source, time)
  )`,
  `create table change_vehicles (
    change_id bigint not null references changes (id) on delete cascade,
    structure_id bigint not null,
    time bigint not null,
    identity ${TEXT} not null,
    overload bigint not null,
    license ${TEXT} not null,
    load double precision not null,
    record ${TEXT} not null,
    details ${TEXT} not null,
    primary key (change_id, structure_id, time, identity)
  )`,
  // `sources`: stations with records that belong to the waveform, as JSON. `written`: the id of the
  // waveform that the change wrote. `previous`: the id of the one that it replaced, whose chunks are
  // kept until the change is undone or expires.
  `create table change_waveforms (
    change_id bigint not null references changes (id) on delete cascade,
    station_id bigint not null,
    trigger_time bigint not null,
    trigger_nanoseconds bigint not null,
    collect_time bigint not null,
    sources ${TEXT} not null,
    written bigint,
    previous bigint,
    sample_freq ${TEXT},
    unit ${TEXT},
    count bigint,
    sample_bytes bigint,
    primary key (change_id, station_id, trigger_time, trigger_nanoseconds)
  )`,
  `create index change_waveforms_by_previous on change_waveforms (previous)
    where previous is not null`,
  // Waveforms are few and each has many chunks: a range of ids for each is read along the index.
  `create function delete_chunks(waveform bigint) returns void language sql as $$
    delete from waveform_chunks where id >= waveform * 2097152 and id < (waveform + 1) * 2097152
  $$`,
  `create function delete_chunks_of_waveforms() returns trigger language plpgsql as $$
  begin
    perform delete_chunks(id) from removed
      where not exists (select 1 from change_waveforms where previous = removed.id);
    return null;
  end $$`,
  `create function delete_chunks_of_changes() returns trigger language plpgsql as $$
  begin
    perform delete_chunks(previous) from (select distinct previous from removed) as ended
      where previous is not null
        and not exists (select 1 from waveforms where id = ended.previous)
        and not exists (select 1 from change_waveforms as kept where kept.previous = ended.previous);
    return null;
  end $$`,
  `create trigger waveforms_removed after delete on waveforms referencing old table as removed
    for each statement execute function delete_chunks_of_waveforms()`,
  `create trigger change_waveforms_removed after delete on change_waveforms
    referencing old table as removed
    for each statement execute function delete_chunks_of_changes()`,
] as const
