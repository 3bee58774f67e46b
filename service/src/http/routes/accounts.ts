import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import {
  changeAccount as changeOperation,
  createAccount as createOperation,
  listAccounts,
  listSiteUsers,
  resetAccount,
} from '@plumbline/contract'
import type { FastifyRequest } from 'fastify'
import type { UserEntry } from '../../domain/site/site-entry.ts'
import { RefusedError } from '../../errors/refused-error.ts'
import { changeAccount, createAccount, linkOf, makeLink } from '../../site/accounts.ts'
import type { LinkPurpose, Storage, StoredAccount } from '../../storage/storage.ts'
import { originOf } from '../requests/origin-of.ts'
import { requireWholeSite } from '../security/require-whole-site.ts'

type AccountRouteOptions = {
  storage: Pick<Storage, 'accounts'>
  publicUrl: string
  now(): number
}

/** For callers who see every structure: an account may see any of them. */
export const accountRoutes: FastifyPluginAsyncTypebox<AccountRouteOptions> = async (
  app,
  { storage, publicUrl, now },
) => {
  app.addHook('preHandler', requireWholeSite('accounts'))

  const find = async (id: number): Promise<StoredAccount> => {
    const account = await storage.accounts.find(id)
    if (account === undefined) throw new RefusedError('absent', `There is no account ${id}.`)
    return account
  }
  const invite = async (request: FastifyRequest, account: StoredAccount, purpose: LinkPurpose) => {
    const secret = await makeLink(storage, { purpose, accountId: account.id, now: now() })
    return { account, link: linkOf(originOf(request, publicUrl), secret) }
  }

  app.route({
    ...listSiteUsers,
    handler: async ({ caller: { catalogue } }) => ({
      users: [...catalogue.users.values()]
        .toSorted((a, b) => a.id - b.id)
        .map(({ id, name, structures }) => ({ id, name, structures: structuresOf(structures) })),
    }),
  })

  app.route({
    ...listAccounts,
    handler: async () => ({ accounts: await storage.accounts.list() }),
  })

  app.route({
    ...createOperation,
    handler: async (request) => {
      const { name, displayName = name, role, userId = null } = request.body
      const { catalogue } = request.caller
      const plan = { name, displayName, role, userId }
      const account = await createAccount(storage, plan, { catalogue, now: now() })
      request.audit.target = `account=${account.name}`
      request.audit.after = account
      return invite(request, account, 'invitation')
    },
  })

  app.route({
    ...changeOperation,
    handler: async (request) => {
      const { displayName, role, userId = null, isDisabled } = request.body
      const account = await find(request.params.accountId)
      request.audit.target = `account=${account.name}`
      request.audit.before = account
      const values = { displayName, role, userId, isDisabled }
      const { catalogue } = request.caller
      const changed = await changeAccount(storage, account, values, { catalogue, now: now() })
      request.audit.after = changed
      return changed
    },
  })

  app.route({
    ...resetAccount,
    handler: async (request) => {
      const account = await find(request.params.accountId)
      request.audit.target = `account=${account.name}`
      request.audit.before = account
      await storage.accounts.reset(account.id, now())
      const changed = await find(account.id)
      request.audit.after = changed
      return invite(request, changed, 'reset')
    },
  })
}

const structuresOf = (structures: UserEntry['structures']): 'all' | number[] =>
  structures === 'all' ? 'all' : [...structures]
