import { statement, withParameters, type SqlEngine } from './engine.ts'
import type { IngestKeyStore } from '../stores/ingest-keys.ts'

export function ingestKeyStore({ build, all, first, write }: SqlEngine): IngestKeyStore {
  const keys = build
    .selectFrom('ingest_keys')
    .select(['id', 'name', 'created_at as createdAt', 'revoked_at as revokedAt'])
  const byHash = keys.where('revoked_at', 'is', null).where('hash', '=', new Uint8Array()).compile()

  return {
    async add(name, hash, now) {
      const insert = build
        .insertInto('ingest_keys')
        .values({ name, hash, created_at: now, revoked_at: null })
      await write([statement(insert.compile())])
    },

    async find(hash) {
      return first(withParameters(byHash, [hash]))
    },

    async list() {
      return all(keys.orderBy('id').compile())
    },

    async revoke(name, now) {
      const update = build
        .updateTable('ingest_keys')
        .set({ revoked_at: now })
        .where('name', '=', name)
        .where('revoked_at', 'is', null)
      const [outcome] = await write([statement(update.compile())])
      return outcome?.changed === 1
    },
  }
}
