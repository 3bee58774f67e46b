/** How the clock has gone, what retention may delete until tomorrow, and vehicles that a change took away. */
export const retention = [
  `create table clock_course (
    id integer primary key check (id = 1),
    version integer not null,
    course text not null
  )`,
  `create table retention_shares (
    structure_id integer not null,
    kind text not null,
    granted_at integer not null,
    until integer not null,
    records integer not null,
    primary key (structure_id, kind)
  ) without rowid`,
  `create table change_vehicles (
    change integer not null references changes (id) on delete cascade,
    structure_id integer not null,
    time integer not null,
    identity text not null,
    overload integer not null,
    license text not null,
    load real not null,
    record text not null,
    details text not null,
    primary key (change, structure_id, time, identity)
  ) without rowid`,
] as const
