import { ID, TEXT } from '../column-types.ts'

const KINDS = ['theme', 'raw'] as const

const openRecords = (kind: (typeof KINDS)[number]): string[] => [
  `create table ${kind}_records (
    source bigint not null,
    time bigint not null,
    record ${TEXT} not null,
    primary key (source, time)
  )`,
  // `count`: the most records that a source can have on a day of UTC, for planning reads; it is never
  // exact. `revision` grows with every write to the day, `rewrites` with those that change more than
  // what comes after its newest record. The last write stored records from `first` on; none of the day
  // is newer than `last`, or than it was: a copied day does not know it. Of raw days, `writer` wrote
  // last, and no other writer wrote since the revision `since`.
  `create table ${kind}_open_days (
    source bigint not null,
    day bigint not null,
    count bigint not null,
    revision bigint not null default 0,
    rewrites bigint not null default 0,
    first bigint not null default 0,
    last bigint not null default ${Number.MAX_SAFE_INTEGER},
    ${kind === 'raw' ? 'writer bigint not null default 0, since bigint not null default 0,' : ''}
    primary key (source, day)
  )`,
  // The cached hour summaries of an open day, valid for this revision.
  `create table ${kind}_open_hours (
    source bigint not null,
    day bigint not null,
    revision bigint not null,
    hours bytea not null,
    crc bigint not null,
    primary key (source, day)
  )`,
  // Writes lock their sources here, so that two of the same source follow each other.
  `create table ${kind}_sources (source bigint primary key)`,
  // Marks are rows of their own: records, sealed days included, stay the texts that are served.
  `create table ${kind}_marks (
    source bigint not null,
    time bigint not null,
    marks ${TEXT} not null,
    primary key (source, time)
  )`,
]

/** Open records and their marks, early records and their sources, and manual readings. */
export const records = [
  ...KINDS.flatMap(openRecords),
  `create table early_records (
    source bigint not null,
    time bigint not null,
    is_notified bigint not null,
    primary key (source, time)
  )`,
  `create index early_records_by_time on early_records (time)`,
  `create table early_sources (
    kind ${TEXT} not null,
    source ${TEXT} not null,
    since bigint not null,
    last_at bigint not null,
    through bigint not null,
    lead bigint not null,
    primary key (kind, source)
  )`,
  // `quality`: the marks that were entered with the values. `undone_at`: when the change was undone.
  `create table manual_readings (
    id ${ID},
    station_id bigint not null,
    time bigint not null,
    author ${TEXT} not null,
    user_id bigint not null,
    note ${TEXT} not null,
    record ${TEXT} not null,
    entered_at bigint not null,
    change_id bigint,
    quality ${TEXT},
    undone_at bigint
  )`,
  `create index manual_readings_by_time on manual_readings (station_id, time, id)`,
]
