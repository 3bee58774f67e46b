/** Counts and checksums by which damaged rows and a damaged schema are found. */
export const integrity = [
  // The count of the guarded rows of a group, and the sum of their checksums.
  `create table row_sums (
    name text not null,
    owner integer not null,
    part integer not null,
    count integer not null,
    total integer not null,
    primary key (name, owner, part)
  ) without rowid`,
  // The tables, indexes and triggers that migrations made, with the CRC-32 of each.
  `create table schema_objects (
    name text primary key,
    type text not null,
    crc integer not null
  ) without rowid`,
] as const
