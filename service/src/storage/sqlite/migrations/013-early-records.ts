/** Records of stations that wait for their time, and the sources whose clocks are ahead. */
export const earlyRecords = [
  `create table early_records (
    source integer not null,
    time integer not null,
    is_notified integer not null,
    primary key (source, time)
  ) without rowid`,
  `create index early_records_by_time on early_records (time)`,
  `create table early_sources (
    kind text not null,
    source text not null,
    since integer not null,
    last_at integer not null,
    through integer not null,
    lead integer not null,
    primary key (kind, source)
  ) without rowid`,
] as const
