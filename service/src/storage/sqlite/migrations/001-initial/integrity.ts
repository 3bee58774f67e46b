/** What tells whether rows and the schema are those that were written. */
export const integrity = [
  // The guarded rows of a group, counted and added up.
  `create table row_sums (
    name text not null,
    owner integer not null,
    part integer not null,
    count integer not null,
    total integer not null,
    primary key (name, owner, part)
  ) without rowid`,
  // Tables, indexes and triggers as migrations made them, with the CRC-32 of each.
  `create table schema_objects (
    name text primary key,
    type text not null,
    crc integer not null
  ) without rowid`,
] as const
