import { ID, TEXT } from '../column-types.ts'

/** Alarms with their transitions, and the alarm state of each source and type. */
export const alarms = [
  // Many alarms share few names and templates of contents. Keywords are searched in `folded`, the
  // text in lower case. Texts of any length are unique by their hashes: a row of a B-tree index has at
  // most 2,704 bytes.
  `create table alarm_source_names (
    id ${ID},
    name ${TEXT} not null,
    folded ${TEXT} not null,
    exclude using hash (name with =)
  )`,
  `create table alarm_templates (
    id ${ID},
    template ${TEXT} not null,
    folded ${TEXT} not null,
    exclude using hash (template with =)
  )`,
  // Times are local, in seconds since 1970 as if the clock of the structure stood in UTC.
  `create table alarms (
    id ${ID},
    structure_id bigint not null,
    source_id ${TEXT} not null,
    source_name_id bigint not null,
    source_type bigint not null,
    category bigint not null,
    type_code ${TEXT} not null,
    level bigint not null,
    template_id bigint not null,
    numbers ${TEXT} not null,
    count bigint not null,
    state bigint not null,
    start_time bigint not null,
    end_time bigint not null
  )`,
  `create unique index alarms_open on alarms (source_id, type_code) where state < 3`,
  `create table alarm_details (
    alarm_id bigint not null references alarms (id) on delete cascade,
    step bigint not null,
    sponsor ${TEXT} not null,
    alarm_code ${TEXT} not null,
    alarm_state bigint not null,
    current_level bigint not null,
    content ${TEXT} not null,
    time ${TEXT} not null,
    primary key (alarm_id, step)
  )`,
  // The ids of the new alarms of a write, in a row; the statements of the write count back from the last.
  // The lock is held for a moment only, and a sequence is never rolled back.
  `create function reserve_alarms(count bigint) returns void language plpgsql as $$
  declare
    ids text := pg_get_serial_sequence('alarms', 'id');
    last bigint;
  begin
    perform pg_advisory_lock(ids::regclass::oid::bigint);
    for number in 1..count loop
      last := nextval(ids);
    end loop;
    perform pg_advisory_unlock(ids::regclass::oid::bigint);
    perform set_config('plumbline.last_alarm', last::text, true);
  end $$`,
  // Grows with every change of a source's alarms; a pair of version and writer never comes twice. A
  // source without a row has version 0 of writer 0.
  `create table alarm_versions (
    source_id ${TEXT} primary key,
    version bigint not null,
    writer bigint not null
  )`,
  // The state of the newest alarm of each source and type, open or closed, as JSON.
  `create table alarm_states (
    source_id ${TEXT} not null,
    type_code ${TEXT} not null,
    alarm_id bigint not null,
    state ${TEXT} not null,
    primary key (source_id, type_code)
  )`,
] as const
