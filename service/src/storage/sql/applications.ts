import { statement, type SqlEngine } from './engine.ts'
import type { ApplicationStore } from '../stores/applications.ts'
import type { AccessTables } from './tables/access.ts'

type Changes = Partial<Pick<AccessTables['applications'], 'revoked_at' | 'secret_hash' | 'scope'>>

export function applicationStore({ build, all, first, write }: SqlEngine): ApplicationStore {
  /** False where no application that is not revoked has this id. */
  const change = async (id: string, values: Changes): Promise<boolean> => {
    const update = build
      .updateTable('applications')
      .set(values)
      .where('id', '=', id)
      .where('revoked_at', 'is', null)
    const [outcome] = await write([statement(update.compile())])
    return outcome?.changed === 1
  }

  return {
    async add({ id, userId, name, scope, createdAt }, secretHash) {
      const insert = build.insertInto('applications').values({
        id,
        user_id: userId,
        name,
        secret_hash: secretHash,
        created_at: createdAt,
        revoked_at: null,
        scope,
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
        .select(['id', 'name', 'user_id as userId', 'scope'])
        .select(['created_at as createdAt', 'revoked_at as revokedAt'])
        .orderBy('created_at')
        .orderBy('id')
      return all(query.compile())
    },

    revoke: (id, now) => change(id, { revoked_at: now }),
    changeSecret: (id, secretHash) => change(id, { secret_hash: secretHash }),
    changeScope: (id, scope) => change(id, { scope }),
  }
}
