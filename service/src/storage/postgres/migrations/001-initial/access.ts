import { ID, TEXT } from '../column-types.ts'

/** Applications, their tokens, and ingest keys. */
export const access = [
  `create table applications (
    id ${TEXT} primary key,
    user_id bigint not null,
    name ${TEXT} not null,
    secret_hash bytea not null,
    created_at bigint not null,
    revoked_at bigint,
    scope ${TEXT} not null
  )`,
  // With `expired_at` a token stays expired when the clock is set back.
  `create table tokens (
    hash bytea primary key,
    application_id ${TEXT} not null references applications (id) on delete cascade,
    issued_at bigint not null,
    expires_at bigint not null,
    invalidated_at bigint,
    expired_at bigint
  )`,
  `create index tokens_by_expiry on tokens (expires_at)`,
  // `targets`: JSON; null: the key may write to everything.
  `create table ingest_keys (
    id ${ID},
    name ${TEXT} not null,
    hash bytea not null unique,
    created_at bigint not null,
    revoked_at bigint,
    targets ${TEXT},
    constraint ingest_keys_in_use exclude using hash (name with =) where (revoked_at is null)
  )`,
] as const
