const sealed = (kind: 'theme' | 'raw'): string[] => [
  // No number comes twice: who takes a part away means that one and no later one.
  `create table ${kind}_sealed (
    id integer primary key autoincrement,
    source integer not null,
    start integer not null,
    until integer not null,
    count integer not null,
    first integer not null,
    last integer not null,
    length integer not null,
    crc integer not null,
    times blob not null,
    newest text not null,
    hours blob not null,
    aside_crc integer not null,
    deflated_crc integer not null,
    bounds_crc integer not null,
    unique (source, start)
  )`,
  // Pieces of a quarter of a page: a row with all the bytes would leave a third of its page empty.
  `create table ${kind}_sealed_bytes (
    part integer not null references ${kind}_sealed (id) on delete cascade,
    piece integer not null,
    bytes blob not null,
    primary key (part, piece)
  ) without rowid`,
  // Parts of a source never overlap: the first that ends after an instant is the next one to read.
  `create index ${kind}_sealed_next on ${kind}_sealed (source, until)`,
  `create index ${kind}_sealed_until on ${kind}_sealed (until)`,
  // What the open records of a day come to by the hour, as long as its revision is still the same.
  `create table ${kind}_hours (
    source integer not null,
    day integer not null,
    revision integer not null,
    hours blob not null,
    primary key (source, day)
  ) without rowid`,
  // Grows with every write into a day: what was read before is known to be old.
  `alter table ${kind}_days add column revision integer not null default 0`,
]

/** Past days in the bytes in which they are sent. */
export const sealedDays = [
  ...sealed('theme'),
  ...sealed('raw'),
  `create table leases (
    name text primary key,
    holder text not null,
    expires_at integer not null
  ) without rowid`,
] as const
