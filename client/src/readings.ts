import type { addReadings, listReadings } from '@plumbline/contract'
import { endpoint } from './endpoint.ts'

export const readings = {
  addReadings: endpoint<typeof addReadings>({
    method: 'POST',
    url: '/stations/:stationId/readings',
  }),
  listReadings: endpoint<typeof listReadings, { defaults: 'limit' }>({
    method: 'GET',
    url: '/stations/:stationId/readings',
  }),
}
