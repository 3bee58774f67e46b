/** Applications, their tokens, and ingest keys. */
export const access = [
  `create table applications (
    id text primary key,
    user_id integer not null,
    name text not null,
    secret_hash blob not null,
    created_at integer not null,
    revoked_at integer
  )`,
  // With `expired_at` a token stays expired when the clock is set back.
  `create table tokens (
    hash blob primary key,
    application_id text not null references applications (id) on delete cascade,
    issued_at integer not null,
    expires_at integer not null,
    invalidated_at integer,
    expired_at integer
  ) without rowid`,
  `create index tokens_by_expiry on tokens (expires_at)`,
  `create table ingest_keys (
    id integer primary key,
    name text not null,
    hash blob not null unique,
    created_at integer not null,
    revoked_at integer
  )`,
  `create unique index ingest_keys_in_use on ingest_keys (name) where revoked_at is null`,
] as const
