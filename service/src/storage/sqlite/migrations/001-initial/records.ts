const KINDS = ['theme', 'raw'] as const

const openRecords = (kind: (typeof KINDS)[number]): string[] => [
  `create table ${kind}_records (
    source integer not null,
    time integer not null,
    record text not null,
    primary key (source, time)
  ) without rowid`,
  // `count`: the most records that a source can have on a day of UTC, for planning reads; it is never
  // exact. `revision` grows with every write to the day. Of raw days, `writer` wrote last, and no
  // other writer wrote since the revision `since`.
  `create table ${kind}_open_days (
    source integer not null,
    day integer not null,
    count integer not null,
    revision integer not null default 0,
    ${kind === 'raw' ? 'writer integer not null default 0, since integer not null default 0,' : ''}
    primary key (source, day)
  ) without rowid`,
  // The cached hour summaries of an open day, valid for this revision.
  `create table ${kind}_open_hours (
    source integer not null,
    day integer not null,
    revision integer not null,
    hours blob not null,
    crc integer not null,
    primary key (source, day)
  ) without rowid`,
  // Checksums of consecutive open records.
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
  // The last checksum of each source, which changes with each record. `newest`: the CRC-32 of the
  // newest record alone.
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

/** Open records, early records and their sources, and manual readings. */
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
