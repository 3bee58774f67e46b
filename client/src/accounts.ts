import type {
  changeAccount,
  createAccount,
  listAccounts,
  listSiteUsers,
  resetAccount,
} from '@plumbline/contract'
import { endpoint } from './endpoint.ts'

export const accounts = {
  listSiteUsers: endpoint<typeof listSiteUsers>({ method: 'GET', url: '/users' }),
  listAccounts: endpoint<typeof listAccounts>({ method: 'GET', url: '/accounts' }),
  createAccount: endpoint<typeof createAccount>({ method: 'POST', url: '/accounts' }),
  changeAccount: endpoint<typeof changeAccount>({ method: 'PUT', url: '/accounts/:accountId' }),
  resetAccount: endpoint<typeof resetAccount>({
    method: 'POST',
    url: '/accounts/:accountId/reset',
  }),
}
