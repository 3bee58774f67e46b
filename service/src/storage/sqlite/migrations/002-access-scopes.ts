import type { Migration } from './migration.ts'

/** Applications and keys that exist may do what they could before: everything. */
export const accessScopes: Migration = {
  name: '002-access-scopes',
  does: 'gives applications a scope, and ingest keys their targets',
  statements: [
    `alter table applications add column scope text not null default 'admin'`,
    // JSON of the targets; null: the key may write to everything.
    `alter table ingest_keys add column targets text`,
  ],
}
