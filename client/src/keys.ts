import type { createKey, listKeys, revokeKey } from '@plumbline/contract'
import { endpoint } from './endpoint.ts'

export const keys = {
  listKeys: endpoint<typeof listKeys>({ method: 'GET', url: '/keys' }),
  createKey: endpoint<typeof createKey>({ method: 'POST', url: '/keys' }),
  revokeKey: endpoint<typeof revokeKey>({ method: 'POST', url: '/keys/revoke' }),
}
