import type {
  acceptInvitation,
  beginTotp,
  changePassword,
  confirmTotp,
  getSession,
  readInvitation,
  removeTotp,
  signIn,
  signOut,
} from '@plumbline/contract'
import { endpoint } from './endpoint.ts'

export const sessions = {
  signIn: endpoint<typeof signIn>({ method: 'POST', url: '/session' }),
  getSession: endpoint<typeof getSession>({ method: 'GET', url: '/session' }),
  signOut: endpoint<typeof signOut>({ method: 'DELETE', url: '/session' }),
  changePassword: endpoint<typeof changePassword>({ method: 'POST', url: '/session/password' }),
  beginTotp: endpoint<typeof beginTotp>({ method: 'POST', url: '/session/totp' }),
  confirmTotp: endpoint<typeof confirmTotp>({ method: 'POST', url: '/session/totp/confirm' }),
  removeTotp: endpoint<typeof removeTotp>({ method: 'POST', url: '/session/totp/remove' }),
  readInvitation: endpoint<typeof readInvitation>({ method: 'POST', url: '/invitations/read' }),
  acceptInvitation: endpoint<typeof acceptInvitation>({
    method: 'POST',
    url: '/invitations/accept',
  }),
}
