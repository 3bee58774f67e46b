/** Alarms with their steps, and the state in which each source and type was evaluated last. */
export const alarms = [
  `create table alarms (
    id integer primary key autoincrement,
    structure_id integer not null,
    source_id text not null,
    source_name text not null,
    source_type integer not null,
    category integer not null,
    type_code text not null,
    level integer not null,
    content text not null,
    count integer not null,
    state integer not null,
    start_time text not null,
    end_time text not null,
    version integer not null default 0
  )`,
  `create unique index alarms_open on alarms (source_id, type_code) where state < 3`,
  // The version that an alarm was given by its last change.
  `create index alarms_by_version on alarms (version)`,
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
  // Grows with every change of an alarm; together with who wrote last it is never the same again.
  // What is gone has no version and is counted in `removals`.
  `create table alarm_version (
    id integer primary key check (id = 1),
    version integer not null,
    writer integer not null,
    removals integer not null
  )`,
  `insert into alarm_version (id, version, writer, removals) values (1, 0, 0, 0)`,
  `create trigger alarms_removed after delete on alarms
    begin update alarm_version set removals = removals + 1; end`,
  // Of the newest alarm of each source and type, open or closed; `state` is plain JSON.
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
