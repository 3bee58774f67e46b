import { ID, TEXT } from '../column-types.ts'

/** Accounts, their sessions and one-time links, and the audit log. */
export const accounts = [
  // `password`: PHC text. `totp_step`: the last time step whose code was accepted.
  `create table accounts (
    id ${ID},
    name ${TEXT} not null unique,
    display_name ${TEXT} not null,
    role ${TEXT} not null,
    user_id bigint,
    password ${TEXT},
    totp_secret bytea,
    totp_confirmed bigint not null default 0,
    totp_step bigint not null default 0,
    disabled_at bigint,
    created_at bigint not null,
    last_sign_in_at bigint
  )`,
  `create table sessions (
    hash bytea primary key,
    account_id bigint not null references accounts (id) on delete cascade,
    created_at bigint not null,
    used_at bigint not null,
    ended_at bigint
  )`,
  `create index sessions_by_account on sessions (account_id)`,
  `create table one_time_links (
    hash bytea primary key,
    purpose ${TEXT} not null,
    account_id bigint references accounts (id) on delete cascade,
    created_at bigint not null,
    expires_at bigint
  )`,
  // `value_before`, `value_after`: JSON. `hash` covers the hash of the line before.
  `create table audit_lines (
    seq bigint primary key,
    at bigint not null,
    who_kind ${TEXT} not null,
    who_name ${TEXT} not null,
    address ${TEXT},
    operation ${TEXT} not null,
    target ${TEXT},
    value_before ${TEXT} not null,
    value_after ${TEXT} not null,
    outcome ${TEXT} not null,
    hash ${TEXT} not null
  )`,
  // Changes under way: JSON of their line.
  `create table audit_notes (
    id ${TEXT} primary key,
    began_at bigint not null,
    line ${TEXT} not null
  )`,
] as const
