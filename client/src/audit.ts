import type { exportAudit, listAudit } from '@plumbline/contract'
import { endpoint } from './endpoint.ts'

export const audit = {
  listAudit: endpoint<typeof listAudit, { defaults: 'limit' }>({ method: 'GET', url: '/audit' }),
  exportAudit: endpoint<typeof exportAudit>({ method: 'GET', url: '/audit/csv' }),
}
