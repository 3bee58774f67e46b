/** The data of background jobs: leases, the clock, positions in files, and shares of retention. */
export const background = [
  `create table leases (
    name text primary key,
    holder text not null,
    expires_at integer not null
  ) without rowid`,
  `create table clock_state (
    id integer primary key check (id = 1),
    version integer not null,
    state text not null
  )`,
  `create table positions (name text primary key, position text not null) without rowid`,
  `create table retention_shares (
    structure_id integer not null,
    kind text not null,
    granted_at integer not null,
    until integer not null,
    records integer not null,
    primary key (structure_id, kind)
  ) without rowid`,
] as const
