/** The site, and the ids of its groups and sensors. */
export const site = [
  `create table meta (key text primary key, value integer not null)`,
  `insert into meta (key, value) values ('site_version', 0)`,
  `create table site_entries (
    kind text not null,
    id text not null,
    position integer not null,
    definition text not null,
    primary key (kind, id)
  ) without rowid`,
  `create table default_groups (
    id integer primary key autoincrement,
    structure_id integer not null,
    factor_id integer not null,
    unique (structure_id, factor_id)
  )`,
  `insert into sqlite_sequence (name, seq) values ('default_groups', 2000000000)`,
  `create table sensors (key integer primary key autoincrement, id text not null unique)`,
] as const
