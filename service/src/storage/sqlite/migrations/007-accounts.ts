import type { Migration } from './migration.ts'

export const accounts: Migration = {
  name: '007-accounts',
  does: 'makes room for accounts, their sessions, and the audit log',
  statements: [
    // `password`: PHC text. `totp_step`: the last time step whose code was accepted.
    `create table accounts (
      id integer primary key autoincrement,
      name text not null unique,
      display_name text not null,
      role text not null,
      user_id integer,
      password text,
      totp_secret blob,
      totp_confirmed integer not null default 0,
      totp_step integer not null default 0,
      disabled_at integer,
      created_at integer not null,
      last_sign_in_at integer
    )`,
    `create table sessions (
      hash blob primary key,
      account_id integer not null references accounts (id) on delete cascade,
      created_at integer not null,
      used_at integer not null,
      ended_at integer
    ) without rowid`,
    `create index sessions_by_account on sessions (account_id)`,
    `create table one_time_links (
      hash blob primary key,
      purpose text not null,
      account_id integer references accounts (id) on delete cascade,
      created_at integer not null,
      expires_at integer
    ) without rowid`,
    // `value_before`, `value_after`: JSON. `hash` covers the hash of the line before.
    `create table audit_lines (
      seq integer primary key,
      at integer not null,
      who_kind text not null,
      who_name text not null,
      address text,
      operation text not null,
      target text,
      value_before text not null,
      value_after text not null,
      outcome text not null,
      hash text not null
    )`,
    // Changes under way: JSON of their line.
    `create table audit_notes (
      id text primary key,
      began_at integer not null,
      line text not null
    ) without rowid`,
  ],
}
