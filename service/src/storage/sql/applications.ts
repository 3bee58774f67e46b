import { statement, type SqlEngine } from './engine.ts'
import type { ApplicationStore } from '../stores/applications.ts'

export function applicationStore({ build, all, first, write }: SqlEngine): ApplicationStore {
  return {
    async add({ id, userId, name, createdAt }, secretHash) {
      const insert = build.insertInto('applications').values({
        id,
        user_id: userId,
        name,
        secret_hash: secretHash,
        created_at: createdAt,
        revoked_at: null,
      })
      await write([statement(insert.compile())])
    },

    async find(id) {
      const query = build
        .selectFrom('applications')
        .select(['user_id as userId', 'secret_hash as secretHash'])
        .where('id', '=', id)
        .where('revoked_at', 'is', null)
      return first(query.compile())
    },

    async list() {
      const query = build
        .selectFrom('applications')
        .select(['id', 'name', 'user_id as userId'])
        .select(['created_at as createdAt', 'revoked_at as revokedAt'])
        .orderBy('created_at')
        .orderBy('id')
      return all(query.compile())
    },

    async revoke(id, now) {
      const update = build
        .updateTable('applications')
        .set({ revoked_at: now })
        .where('id', '=', id)
        .where('revoked_at', 'is', null)
      const [outcome] = await write([statement(update.compile())])
      return outcome?.changed === 1
    },

    async changeSecret(id, secretHash) {
      const update = build
        .updateTable('applications')
        .set({ secret_hash: secretHash })
        .where('id', '=', id)
        .where('revoked_at', 'is', null)
      const [outcome] = await write([statement(update.compile())])
      return outcome?.changed === 1
    },
  }
}
