import type { CompiledQuery, Selectable } from 'kysely'
import type {
  AccountSecrets,
  AccountStore,
  CheckedAccount,
  NewAccount,
  StoredAccount,
} from '../stores/accounts.ts'
import { isConflict } from '../../errors/conflict-error.ts'
import { statement, type SqlEngine, type SqlWriter } from './engine.ts'
import type { Statement } from './statement.ts'
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

const withSecrets = (row: AccountRow): StoredAccount & AccountSecrets => ({
  ...toAccount(row),
  password: row.password,
  totpSecret: row.totp_secret,
  isTotpConfirmed: row.totp_confirmed === 1,
  totpStep: row.totp_step,
})

/** Changes an account only where it is still the one whose password was compared. */
export const updateChecked = (
  { build }: Pick<SqlEngine, 'build'>,
  { id, password, isTotpConfirmed }: CheckedAccount,
  values: Partial<Omit<AccountRow, 'id'>>,
): Statement =>
  only(
    build
      .updateTable('accounts')
      .set(values)
      .where('id', '=', id)
      .where('password', '=', password)
      .where('totp_confirmed', '=', Number(isTotpConfirmed))
      .where('disabled_at', 'is', null),
  )

/** A statement that changes one row, or nothing of its write is done. */
const only = (query: { compile(): CompiledQuery }): Statement => ({
  ...statement(query.compile()),
  expected: 1,
})

/** Runs all statements, or none of them where one does not change what it should: then it is false. */
export async function writeWhole(
  { write }: Pick<SqlWriter, 'write'>,
  statements: readonly Statement[],
): Promise<boolean> {
  try {
    await write(statements)
    return true
  } catch (error) {
    if (isConflict(error, 'rows')) return false
    throw error
  }
}

export function accountStore(engine: SqlEngine): AccountStore {
  const { build, all, first, write } = engine
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
    build.updateTable('accounts').set(values).where('id', '=', id)
  const deleteLink = (hash: Uint8Array, accountId: number | null) =>
    build
      .deleteFrom('one_time_links')
      .where('hash', '=', hash)
      .where('account_id', accountId === null ? 'is' : '=', accountId)
  const insert = (
    { name, displayName, role, userId, createdAt }: NewAccount,
    password: string | null,
  ): Statement =>
    only(
      build
        .insertInto('accounts')
        .values({
          name,
          display_name: displayName,
          role,
          user_id: userId,
          password,
          totp_secret: null,
          disabled_at: null,
          created_at: createdAt,
          last_sign_in_at: null,
        })
        .onConflict((conflict) => conflict.column('name').doNothing()),
    )
  const idOf = async (name: string): Promise<number | undefined> => {
    const query = build.selectFrom('accounts').select('id').where('name', '=', name)
    return (await first(query.compile()))?.id
  }

  return {
    async add(account) {
      return (await writeWhole(engine, [insert(account, null)])) ? idOf(account.name) : undefined
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

    async findSecrets(id) {
      const query = build.selectFrom('accounts').selectAll().where('id', '=', id)
      const row = await first(query.compile())
      return row && withSecrets(row)
    },

    async findByName(name) {
      const query = build.selectFrom('accounts').selectAll().where('name', '=', name)
      const row = await first(query.compile())
      return row && withSecrets(row)
    },

    async change(id, { displayName, role, userId, isDisabled }, now) {
      const change = only(
        update(id, {
          display_name: displayName,
          role,
          user_id: userId,
          disabled_at: isDisabled ? now : null,
        }),
      )
      const staysAdministrator = role === 'administrator' && userId === null && !isDisabled
      return writeWhole(engine, [
        ...(staysAdministrator ? [] : [LOCK_ADMINISTRATORS, keepOne(id)]),
        change,
        ...(isDisabled ? [endSessions(id, now)] : []),
      ])
    },

    async setPassword(id, password, now) {
      await write([statement(update(id, { password }).compile()), endSessions(id, now)])
    },

    changePassword: (checked, password, { keep, now }) =>
      writeWhole(engine, [
        updateChecked(engine, checked, { password }),
        only(
          build
            .updateTable('sessions')
            .set({ used_at: now })
            .where('hash', '=', keep)
            .where('ended_at', 'is', null),
        ),
        endSessions(checked.id, now, keep),
      ]),

    async reset(id, now) {
      // The links first, as where one is accepted: two writes that meet must not wait for each other.
      const links = build.deleteFrom('one_time_links').where('account_id', '=', id)
      const reset = update(id, { password: null, totp_secret: null, totp_confirmed: 0 })
      await write([statement(links.compile()), statement(reset.compile()), endSessions(id, now)])
    },

    beginTotp: (checked, secret) =>
      writeWhole(engine, [
        updateChecked(engine, { ...checked, isTotpConfirmed: false }, { totp_secret: secret }),
      ]),

    acceptTotp: (id, secret, step) =>
      writeWhole(engine, [
        only(
          update(id, { totp_step: step, totp_confirmed: 1 })
            .where('totp_secret', '=', secret)
            .where('totp_step', '<', step),
        ),
      ]),

    removeTotp: (checked) =>
      writeWhole(engine, [
        updateChecked(engine, checked, { totp_secret: null, totp_confirmed: 0 }),
      ]),

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

    acceptLink: (hash, { accountId, password, now }) =>
      writeWhole(engine, [
        only(deleteLink(hash, accountId)),
        only(update(accountId, { password }).where('disabled_at', 'is', null)),
        endSessions(accountId, now),
      ]),

    async acceptFirstLink(hash, { password, ...account }) {
      const statements = [only(deleteLink(hash, null)), insert(account, password)]
      return (await writeWhole(engine, statements)) ? idOf(account.name) : undefined
    },

    async deleteExpiredLinks(before) {
      const removal = build.deleteFrom('one_time_links').where('expires_at', '<', before)
      await write([statement(removal.compile())])
    },
  }
}

/** An account that manages all accounts. */
const IS_ADMINISTRATOR = `role = 'administrator' and user_id is null and disabled_at is null`

/** Two who narrow each other wait for each other here, so that the second one sees what the first did. */
const LOCK_ADMINISTRATORS: Statement = {
  sql: `update accounts set role = role where ${IS_ADMINISTRATOR}`,
  width: 0,
  values: [],
}

/** Holds where another account than this one manages all accounts, or this one does not today. */
const keepOne = (id: number): Statement => ({
  sql: `select 1 where exists (select 1 from accounts where id <> ? and ${IS_ADMINISTRATOR})
    or not exists (select 1 from accounts where id = ? and ${IS_ADMINISTRATOR})`,
  width: 2,
  values: [id, id],
  guards: 'rows',
})
