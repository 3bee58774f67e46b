import type { getStationsData, getThemeData } from '@plumbline/contract'
import { endpoint } from './endpoint.ts'

export const data = {
  getThemeData: endpoint<typeof getThemeData, { lists: 'stations' }>({
    method: 'GET',
    url: '/stations/theme/data',
  }),
  getStationsData: endpoint<typeof getStationsData>({
    method: 'POST',
    url: '/structures/:structureId/factors/:factorId/stations/data',
    isRepeatable: true,
    query: ['startTime', 'endTime'],
  }),
}
