import { ID, TEXT } from '../column-types.ts'

const sealed = (kind: 'theme' | 'raw'): string[] => [
  // No id is used twice: a deletion by id never deletes a later part.
  `create table ${kind}_sealed_parts (
    id ${ID},
    source bigint not null,
    start bigint not null,
    until bigint not null,
    count bigint not null,
    first bigint not null,
    last bigint not null,
    length bigint not null,
    crc bigint not null,
    times bytea not null,
    newest ${TEXT} not null,
    hours bytea not null,
    header_crc bigint not null,
    deflated_crc bigint not null,
    bounds_crc bigint not null,
    deflated bytea not null,
    unique (source, start)
  )`,
  // They are compressed already.
  `alter table ${kind}_sealed_parts alter column deflated set storage external`,
  // Parts of a source never overlap: the first that ends after an instant is the next to read.
  `create index ${kind}_sealed_parts_by_source on ${kind}_sealed_parts (source, until)`,
  `create index ${kind}_sealed_parts_by_end on ${kind}_sealed_parts (until)`,
]

/** Sealed days: the headers of parts with their compressed records. */
export const sealedDays = [...sealed('theme'), ...sealed('raw')]
