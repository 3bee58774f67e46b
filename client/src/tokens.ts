import type { invalidateToken, issueToken, refreshToken } from '@plumbline/contract'
import { endpoint } from './endpoint.ts'

export const tokens = {
  issueToken: endpoint<typeof issueToken, { constants: 'grant_type' }>({
    method: 'POST',
    url: '/oauth2/token',
    isRepeatable: true,
    constants: { grant_type: 'client_credentials' },
    encoding: 'form',
  }),
  refreshToken: endpoint<typeof refreshToken, { constants: 'grant_type' }>({
    method: 'POST',
    url: '/oauth2/token/refresh',
    constants: { grant_type: 'refresh_token' },
    encoding: 'form',
  }),
  invalidateToken: endpoint<typeof invalidateToken>({
    method: 'POST',
    url: '/oauth2/token/invalidate',
    encoding: 'form',
  }),
}
