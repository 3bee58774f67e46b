import type { SessionStore } from '../stores/sessions.ts'
import { toAccount, updateChecked, writeWhole } from './accounts.ts'
import { statement, withParameters, type SqlEngine } from './engine.ts'

const SITE_VERSION = 'site_version'

export function sessionStore(engine: SqlEngine): SessionStore {
  const { build, first, write } = engine
  const byHash = build
    .selectFrom('sessions')
    .innerJoin('accounts', 'accounts.id', 'sessions.account_id')
    .selectAll('accounts')
    .select(['sessions.created_at as openedAt', 'sessions.used_at as usedAt'])
    .select('sessions.ended_at as endedAt')
    .select((row) =>
      row.selectFrom('meta').select('value').where('key', '=', SITE_VERSION).as('siteVersion'),
    )
    .where('sessions.hash', '=', new Uint8Array())
    .compile()

  return {
    async add({ hash, checked, createdAt }) {
      const insert = build.insertInto('sessions').values({
        hash,
        account_id: checked.id,
        created_at: createdAt,
        used_at: createdAt,
        ended_at: null,
      })
      // The account first: a reset that comes meanwhile waits, and then ends this session too.
      return writeWhole(engine, [
        updateChecked(engine, checked, { last_sign_in_at: createdAt }),
        statement(insert.compile()),
      ])
    },

    async find(hash) {
      const row = await first(withParameters(byHash, [SITE_VERSION, hash]))
      if (row === undefined) return undefined
      return {
        account: toAccount(row),
        createdAt: row.openedAt,
        usedAt: row.usedAt,
        isEnded: row.endedAt !== null,
        siteVersion: row.siteVersion ?? 0,
      }
    },

    async use(hash, now) {
      const update = build.updateTable('sessions').set({ used_at: now }).where('hash', '=', hash)
      await write([statement(update.compile())])
    },

    async end(hash, now) {
      const update = build
        .updateTable('sessions')
        .set({ ended_at: now })
        .where('hash', '=', hash)
        .where('ended_at', 'is', null)
      await write([statement(update.compile())])
    },

    async deleteUnused(before) {
      const removal = build.deleteFrom('sessions').where('used_at', '<', before)
      const [outcome] = await write([statement(removal.compile())])
      return outcome?.changed ?? 0
    },
  }
}
