import type { countTraffic, getTrafficFlow } from '@plumbline/contract'
import { endpoint } from './endpoint.ts'

export const traffic = {
  getTrafficFlow: endpoint<typeof getTrafficFlow>({
    method: 'GET',
    url: '/structures/:structureId/traffic-flow',
  }),
}

export const trafficManagement = {
  countTraffic: endpoint<typeof countTraffic>({
    method: 'GET',
    url: '/structures/:structureId/traffic/counts',
  }),
}
