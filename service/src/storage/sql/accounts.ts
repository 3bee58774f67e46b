import type { Selectable } from 'kysely'
import type { AccountStore, StoredAccount } from '../stores/accounts.ts'
import { statement, type SqlEngine } from './engine.ts'
import type { AccountTables } from './tables/accounts.ts'

export type AccountRow = Selectable<AccountTables['accounts']>

export const toAccount = (row: Omit<AccountRow, 'password' | 'totp_secret' | 'totp_step'>) =>
  ({
    id: row.id,
    name: row.name,
    displayName: row.display_name,
    role: row.role,
    userId: row.user_id,
    hasTotp: row.totp_confirmed === 1,
    isDisabled: row.disabled_at !== null,
    createdAt: row.created_at,
    lastSignInAt: row.last_sign_in_at,
  }) satisfies StoredAccount

export function accountStore({ build, all, first, write }: SqlEngine): AccountStore {
  const endSessions = (id: number, now: number, keep: Uint8Array = new Uint8Array()) =>
    statement(
      build
        .updateTable('sessions')
        .set({ ended_at: now })
        .where('account_id', '=', id)
        .where('ended_at', 'is', null)
        .where('hash', '<>', keep)
        .compile(),
    )
  const update = (id: number, values: Partial<Omit<AccountRow, 'id'>>) =>
    statement(build.updateTable('accounts').set(values).where('id', '=', id).compile())

  return {
    async add({ name, displayName, role, userId, createdAt }) {
      const insert = build
        .insertInto('accounts')
        .values({
          name,
          display_name: displayName,
          role,
          user_id: userId,
          password: null,
          totp_secret: null,
          disabled_at: null,
          created_at: createdAt,
          last_sign_in_at: null,
        })
        .onConflict((conflict) => conflict.column('name').doNothing())
      const [outcome] = await write([statement(insert.compile())])
      if (outcome?.changed !== 1) return undefined
      const query = build.selectFrom('accounts').select('id').where('name', '=', name)
      return (await first(query.compile()))?.id
    },

    async list() {
      const rows = await all(build.selectFrom('accounts').selectAll().orderBy('name').compile())
      return rows.map(toAccount)
    },

    async find(id) {
      const query = build.selectFrom('accounts').selectAll().where('id', '=', id)
      const row = await first(query.compile())
      return row && toAccount(row)
    },

    async findByName(name) {
      const query = build.selectFrom('accounts').selectAll().where('name', '=', name)
      const row = await first(query.compile())
      if (row === undefined) return undefined
      return {
        ...toAccount(row),
        password: row.password,
        totpSecret: row.totp_secret,
        isTotpConfirmed: row.totp_confirmed === 1,
        totpStep: row.totp_step,
      }
    },

    async change(id, { displayName, role, userId, isDisabled }, now) {
      const [outcome] = await write([
        update(id, {
          display_name: displayName,
          role,
          user_id: userId,
          disabled_at: isDisabled ? now : null,
        }),
        ...(isDisabled ? [endSessions(id, now)] : []),
      ])
      return outcome?.changed === 1
    },

    async setPassword(id, password, keep, now) {
      await write([update(id, { password }), endSessions(id, now, keep)])
    },

    async reset(id, now) {
      const links = build.deleteFrom('one_time_links').where('account_id', '=', id)
      await write([
        update(id, { password: null, totp_secret: null, totp_confirmed: 0 }),
        endSessions(id, now),
        statement(links.compile()),
      ])
    },

    async beginTotp(id, secret) {
      await write([update(id, { totp_secret: secret, totp_confirmed: 0 })])
    },

    async acceptTotp(id, step) {
      const accept = build
        .updateTable('accounts')
        .set({ totp_step: step, totp_confirmed: 1 })
        .where('id', '=', id)
        .where('totp_secret', 'is not', null)
        .where('totp_step', '<', step)
      const [outcome] = await write([statement(accept.compile())])
      return outcome?.changed === 1
    },

    async removeTotp(id) {
      await write([update(id, { totp_secret: null, totp_confirmed: 0 })])
    },

    async addLink({ hash, purpose, accountId, createdAt, expiresAt }) {
      const insert = build.insertInto('one_time_links').values({
        hash,
        purpose,
        account_id: accountId,
        created_at: createdAt,
        expires_at: expiresAt,
      })
      const earlier = build.deleteFrom('one_time_links').where('purpose', '=', 'first')
      await write([
        ...(purpose === 'first' ? [statement(earlier.compile())] : []),
        statement(insert.compile()),
      ])
    },

    async findLink(hash) {
      const link = await first(
        build.selectFrom('one_time_links').selectAll().where('hash', '=', hash).compile(),
      )
      if (link === undefined) return undefined
      const { purpose, account_id: id, expires_at: expiresAt } = link
      const account = id === null ? null : ((await this.find(id)) ?? null)
      return { purpose, account, expiresAt }
    },

    async takeLink(hash, purpose) {
      // All links of the first administrator together, so that two of them make one.
      const [outcome] = await write([
        {
          sql: `delete from one_time_links where purpose = ?
            and exists (select 1 from one_time_links as own where own.hash = ?)
            and (hash = ? or purpose = 'first')`,
          width: 3,
          values: [purpose, hash, hash],
        },
      ])
      return (outcome?.changed ?? 0) > 0
    },

    async deleteExpiredLinks(before) {
      const removal = build.deleteFrom('one_time_links').where('expires_at', '<', before)
      await write([statement(removal.compile())])
    },
  }
}
