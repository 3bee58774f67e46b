const sealed = (kind: 'theme' | 'raw'): string[] => [
  // No id is used twice: a deletion by id never deletes a later part.
  `create table ${kind}_sealed_parts (
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
    header_crc integer not null,
    deflated_crc integer not null,
    bounds_crc integer not null,
    unique (source, start)
  )`,
  // Chunks of a quarter of a page: rows with all bytes would leave a third of their pages empty.
  `create table ${kind}_sealed_chunks (
    part_id integer not null references ${kind}_sealed_parts (id) on delete cascade,
    chunk integer not null,
    bytes blob not null,
    primary key (part_id, chunk)
  ) without rowid`,
  // Parts of a source never overlap: the first that ends after an instant is the next to read.
  `create index ${kind}_sealed_parts_by_source on ${kind}_sealed_parts (source, until)`,
  `create index ${kind}_sealed_parts_by_end on ${kind}_sealed_parts (until)`,
]

/** Sealed days: the headers of parts, and the chunks of their compressed records. */
export const sealedDays = [...sealed('theme'), ...sealed('raw')]
