import type { getTrafficFlow } from '@plumbline/contract'
import { endpoint } from './endpoint.ts'

export const traffic = {
  getTrafficFlow: endpoint<typeof getTrafficFlow>({
    method: 'GET',
    url: '/structures/:structureId/traffic-flow',
  }),
}
