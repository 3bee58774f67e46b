import type { KeyTargets } from '../../domain/access/key-targets.ts'
import type { IngestKey, IngestKeyStore } from '../stores/ingest-keys.ts'
import { statement, withParameters, type SqlEngine } from './engine.ts'
import { fromJson } from './from-json.ts'

export function ingestKeyStore({ build, all, first, write }: SqlEngine): IngestKeyStore {
  const keys = build
    .selectFrom('ingest_keys')
    .select(['id', 'name', 'created_at as createdAt', 'revoked_at as revokedAt', 'targets'])
  const byHash = keys.where('revoked_at', 'is', null).where('hash', '=', new Uint8Array()).compile()

  return {
    async add(name, hash, now, targets) {
      const insert = build.insertInto('ingest_keys').values({
        name,
        hash,
        created_at: now,
        revoked_at: null,
        targets: targets === undefined ? null : JSON.stringify(targets),
      })
      await write([statement(insert.compile())])
    },

    async find(hash) {
      const row = await first(withParameters(byHash, [hash]))
      return row === undefined ? undefined : toKey(row)
    },

    async list() {
      return (await all(keys.orderBy('id').compile())).map(toKey)
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

const toKey = (row: Omit<IngestKey, 'targets'> & { targets: string | null }): IngestKey => ({
  ...row,
  targets: row.targets === null ? null : fromJson<KeyTargets>(row.targets),
})
