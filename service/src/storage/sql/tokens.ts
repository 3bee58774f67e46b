import { statement, withParameters, type SqlEngine } from './engine.ts'
import type { TokenStore } from '../stores/tokens.ts'

const SITE_VERSION = 'site_version'

export function tokenStore({ build, first, write }: SqlEngine): TokenStore {
  const byHash = build
    .selectFrom('tokens')
    .innerJoin('applications', 'applications.id', 'tokens.application_id')
    .select(['applications.id as applicationId', 'applications.user_id as userId'])
    .select('applications.scope')
    .select(['tokens.issued_at as issuedAt', 'tokens.expires_at as expiresAt'])
    .select(['tokens.invalidated_at as invalidatedAt', 'tokens.expired_at as expiredAt'])
    .select((row) =>
      row.selectFrom('meta').select('value').where('key', '=', SITE_VERSION).as('siteVersion'),
    )
    .where('applications.revoked_at', 'is', null)
    .where('tokens.hash', '=', new Uint8Array())
    .compile()

  return {
    async add({ hash, applicationId, issuedAt, expiresAt }) {
      const insert = build.insertInto('tokens').values({
        hash,
        application_id: applicationId,
        issued_at: issuedAt,
        expires_at: expiresAt,
        invalidated_at: null,
        expired_at: null,
      })
      await write([statement(insert.compile())])
    },

    // Runs with every request: the query is compiled once, and only the hash changes.
    async find(hash) {
      const row = await first(withParameters(byHash, [SITE_VERSION, hash]))
      if (row === undefined) return undefined
      const { invalidatedAt, expiredAt, siteVersion, ...token } = row
      return {
        ...token,
        siteVersion: siteVersion ?? 0,
        isInvalidated: invalidatedAt !== null,
        isExpired: expiredAt !== null,
      }
    },

    async invalidate(hash, applicationId, now) {
      const update = build
        .updateTable('tokens')
        .set({ invalidated_at: now })
        .where('hash', '=', hash)
        .where('application_id', '=', applicationId)
        .where('invalidated_at', 'is', null)
      await write([statement(update.compile())])
    },

    async markExpired(hash, now) {
      const update = build
        .updateTable('tokens')
        .set({ expired_at: now })
        .where('hash', '=', hash)
        .where('expired_at', 'is', null)
      await write([statement(update.compile())])
    },

    async markAllExpired(expiredBy) {
      const update = build
        .updateTable('tokens')
        .set({ expired_at: expiredBy })
        .where('expired_at', 'is', null)
        .where('expires_at', '<=', expiredBy)
      const [outcome] = await write([statement(update.compile())])
      return outcome?.changed ?? 0
    },

    async deleteExpired(before) {
      const removal = build.deleteFrom('tokens').where('expires_at', '<', before)
      const [outcome] = await write([statement(removal.compile())])
      return outcome?.changed ?? 0
    },
  }
}
