/**
 * Who wrote the raw records of a day last, and from which revision on nobody else did: so a write
 * can tell whether another process has come between.
 */
export const rawWriters = [
  `alter table raw_days add column writer integer not null default 0`,
  `alter table raw_days add column since integer not null default 0`,
] as const
