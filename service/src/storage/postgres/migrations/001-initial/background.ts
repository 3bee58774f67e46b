import { TEXT } from '../column-types.ts'

/** The data of background jobs: leases, the clock, positions in files, and shares of retention. */
export const background = [
  `create table leases (
    name ${TEXT} primary key,
    holder ${TEXT} not null,
    expires_at bigint not null
  )`,
  `create table clock_state (
    id bigint primary key check (id = 1),
    version bigint not null,
    state ${TEXT} not null
  )`,
  `create table positions (name ${TEXT} primary key, position ${TEXT} not null)`,
  `create table retention_shares (
    structure_id bigint not null,
    kind ${TEXT} not null,
    granted_at bigint not null,
    until bigint not null,
    records bigint not null,
    primary key (structure_id, kind)
  )`,
] as const
