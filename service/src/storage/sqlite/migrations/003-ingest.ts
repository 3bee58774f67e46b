/** What could not be read, how far sources were read, and changes that can be undone. */
export const ingest = [
  `create table rejects (
    id integer primary key autoincrement,
    origin text not null,
    place text not null,
    reason text not null,
    payload blob not null,
    received_at integer not null
  )`,
  `create index rejects_by_origin on rejects (origin, id)`,
  `create table reject_drops (origin text primary key, dropped integer not null) without rowid`,

  `create table positions (name text primary key, position text not null) without rowid`,

  `create table changes (
    id integer primary key autoincrement,
    kind text not null,
    description text not null,
    started_at integer not null,
    finished_at integer,
    undone_at integer
  )`,
  // What a change wrote, by its CRC-32, and what was there before; without one there was nothing.
  `create table change_rows (
    change integer not null references changes (id) on delete cascade,
    kind text not null,
    source integer not null,
    time integer not null,
    written integer,
    previous text,
    primary key (change, kind, source, time)
  ) without rowid`,
] as const
