import type { applySite, getSite, planSite } from '@plumbline/contract'
import { endpoint } from './endpoint.ts'

export const site = {
  getSite: endpoint<typeof getSite>({ method: 'GET', url: '/site' }),
  planSite: endpoint<typeof planSite>({ method: 'POST', url: '/site/plan', isRepeatable: true }),
  applySite: endpoint<typeof applySite>({ method: 'POST', url: '/site/apply' }),
}
