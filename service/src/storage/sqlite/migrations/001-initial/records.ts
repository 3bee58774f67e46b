const KINDS = ['theme', 'raw'] as const

const openRecords = (kind: (typeof KINDS)[number]): string[] => [
  `create table ${kind}_records (
    source integer not null,
    time integer not null,
    record text not null,
    primary key (source, time)
  ) without rowid`,
  // `count`: how many records a source has on a day of UTC, at most: a guide for reading, never the
  // truth. `revision` grows with every write into the day. Raw days know which writer wrote last,
  // and from which revision on no other did.
  `create table ${kind}_open_days (
    source integer not null,
    day integer not null,
    count integer not null,
    revision integer not null default 0,
    ${kind === 'raw' ? 'writer integer not null default 0, since integer not null default 0,' : ''}
    primary key (source, day)
  ) without rowid`,
  // What the open records of a day come to by the hour, valid while its revision is the same.
  `create table ${kind}_open_hours (
    source integer not null,
    day integer not null,
    revision integer not null,
    hours blob not null,
    crc integer not null,
    primary key (source, day)
  ) without rowid`,
  // Checksums of open records that lie side by side.
  `create table ${kind}_checksums (
    source integer not null,
    start integer not null,
    last integer not null,
    count integer not null,
    length integer not null,
    crc integer not null,
    instants integer not null,
    primary key (source, start)
  ) without rowid`,
  // The last one of each source, which changes with each record, and the CRC-32 of its newest record.
  `create table ${kind}_last_checksums (
    source integer primary key,
    start integer not null,
    last integer not null,
    count integer not null,
    length integer not null,
    crc integer not null,
    instants integer not null,
    newest integer not null
  )`,
]

/** Open records, those that are ahead of the clock, and who measured some of them by hand. */
export const records = [
  ...KINDS.flatMap(openRecords),
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
  `create table manual_readings (
    id integer primary key autoincrement,
    station_id integer not null,
    time integer not null,
    author text not null,
    user_id integer not null,
    note text not null,
    record text not null,
    entered_at integer not null
  )`,
  `create index manual_readings_by_time on manual_readings (station_id, time, id)`,
]
