/** Who measured what by hand; the values stand beside, since a record may be replaced. */
export const readings = [
  `create table readings (
    id integer primary key autoincrement,
    station_id integer not null,
    time integer not null,
    author text not null,
    user_id integer not null,
    note text not null,
    record text not null,
    entered_at integer not null
  )`,
  `create index readings_by_time on readings (station_id, time, id)`,
] as const
