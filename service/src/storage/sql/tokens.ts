import { SharedLookUps } from '../../concurrency/shared-look-ups.ts'
import { statement, withParameters, type SqlEngine } from './engine.ts'
import type { Token, TokenStore } from '../stores/tokens.ts'

const SITE_VERSION = 'site_version'

/** The numbers of hashes that one statement looks up: few texts, so that they stay prepared. */
const SIZES = [1, 2, 4, 8, 16, 32, 64] as const

const NO_HASH = new Uint8Array()

/** Two beside each other: one slow connection does not hold up every request. */
const LOOK_UPS = { atOnce: 2, keys: 64 }

export function tokenStore({ build, dialect, all, write }: SqlEngine): TokenStore {
  const ofHashes = (count: number) =>
    build
      .selectFrom('tokens')
      .innerJoin('applications', 'applications.id', 'tokens.application_id')
      .select(['tokens.hash', 'applications.id as applicationId', 'applications.user_id as userId'])
      .select('applications.scope')
      .select(['tokens.issued_at as issuedAt', 'tokens.expires_at as expiresAt'])
      .select(['tokens.invalidated_at as invalidatedAt', 'tokens.expired_at as expiredAt'])
      .select((row) =>
        row.selectFrom('meta').select('value').where('key', '=', SITE_VERSION).as('siteVersion'),
      )
      .where('applications.revoked_at', 'is', null)
      .where(
        'tokens.hash',
        'in',
        Array.from({ length: count }, () => new Uint8Array()),
      )
      .compile()
  // They run with every request: each is compiled once, and only the hashes change.
  const queries = SIZES.map((size) => ({ size, query: ofHashes(size) }))

  /** Finds the tokens of at most as many hashes as the largest size, in their order. */
  const findAll = async (hashes: readonly Uint8Array[]): Promise<(Token | undefined)[]> => {
    const { size, query } = queries.find(({ size }) => size >= hashes.length) ?? tooMany()
    const [first = NO_HASH] = hashes
    const padding = Array.from({ length: size - hashes.length }, () => first)
    const rows = await all(withParameters(query, [SITE_VERSION, ...hashes, ...padding]))
    return hashes.map((hash) => {
      const row = rows.find((row) => Buffer.compare(row.hash, hash) === 0)
      if (row === undefined) return undefined
      const { hash: _, invalidatedAt, expiredAt, siteVersion, ...token } = row
      return {
        ...token,
        siteVersion: siteVersion ?? 0,
        isInvalidated: invalidatedAt !== null,
        isExpired: expiredAt !== null,
      }
    })
  }
  const lookUps = new SharedLookUps(findAll, LOOK_UPS)

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

    find: async (hash) => (dialect.isRemote ? lookUps.find(hash) : (await findAll([hash]))[0]),

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

function tooMany(): never {
  throw new Error(`more than ${SIZES.at(-1)} hashes at once`)
}
