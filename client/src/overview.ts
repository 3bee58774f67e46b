import type { getOverview, getStructureState } from '@plumbline/contract'
import { endpoint } from './endpoint.ts'

export const overview = {
  getOverview: endpoint<typeof getOverview>({ method: 'GET', url: '/overview' }),
  getStructureState: endpoint<typeof getStructureState>({
    method: 'GET',
    url: '/structures/:structureId/state',
  }),
}
