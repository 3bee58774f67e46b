/** Traffic records. */
export const traffic = [
  `create table traffic_records (
    structure_id integer not null,
    time integer not null,
    identity text not null,
    overload integer not null,
    license text not null,
    load real not null,
    record text not null,
    details text not null,
    primary key (structure_id, time, identity)
  ) without rowid`,
] as const
