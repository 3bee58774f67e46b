/** Alarms with their transitions, and the alarm state of each source and type. */
export const alarms = [
  // Many alarms share few names and templates of contents. Keywords are searched in `folded`, the
  // text in lower case.
  `create table alarm_source_names (
    id integer primary key,
    name text not null unique,
    folded text not null
  )`,
  `create table alarm_templates (
    id integer primary key,
    template text not null unique,
    folded text not null
  )`,
  // Times are local, in seconds since 1970 as if the clock of the structure stood in UTC.
  `create table alarms (
    id integer primary key autoincrement,
    structure_id integer not null,
    source_id text not null,
    source_name_id integer not null,
    source_type integer not null,
    category integer not null,
    type_code text not null,
    level integer not null,
    template_id integer not null,
    numbers text not null,
    count integer not null,
    state integer not null,
    start_time integer not null,
    end_time integer not null
  )`,
  `create unique index alarms_open on alarms (source_id, type_code) where state < 3`,
  `create table alarm_details (
    alarm_id integer not null references alarms (id) on delete cascade,
    step integer not null,
    sponsor text not null,
    alarm_code text not null,
    alarm_state integer not null,
    current_level integer not null,
    content text not null,
    time text not null,
    primary key (alarm_id, step)
  ) without rowid`,
  // Grows with every change of an alarm; a pair of version and writer never comes twice.
  `create table alarm_version (
    id integer primary key check (id = 1),
    version integer not null,
    writer integer not null
  )`,
  `insert into alarm_version (id, version, writer) values (1, 0, 0)`,
  // The state of the newest alarm of each source and type, open or closed, as JSON.
  `create table alarm_states (
    source_id text not null,
    type_code text not null,
    alarm_id integer not null,
    state text not null,
    version integer not null,
    primary key (source_id, type_code)
  ) without rowid`,
  `create index alarm_states_by_version on alarm_states (version)`,
] as const
