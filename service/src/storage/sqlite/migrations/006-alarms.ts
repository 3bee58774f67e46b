/** What the alarms engine remembers, what is to be told, and what devices say of themselves. */
export const alarms = [
  // Grows with every change of an alarm; together with who wrote last it is never the same again.
  `create table alarm_version (
    id integer primary key check (id = 1),
    version integer not null,
    writer integer not null
  )`,
  `insert into alarm_version (id, version, writer) values (1, 0, 0)`,
  // The newest alarm of each source and type, open or closed, as plain JSON.
  `create table alarm_states (
    source_id text not null,
    type_code text not null,
    alarm_id integer not null,
    state text not null,
    version integer not null,
    primary key (source_id, type_code)
  ) without rowid`,
  `create index alarm_states_by_version on alarm_states (version)`,
  `create table alarm_notices (
    id integer primary key autoincrement,
    alarm_id integer not null,
    step integer not null,
    is_late integer not null,
    created_at integer not null
  )`,
  `create table device_errors (
    device_id text primary key,
    time integer not null,
    error text not null
  ) without rowid`,
] as const
