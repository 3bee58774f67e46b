import type { listFactors, listStations, listStructures } from '@plumbline/contract'
import { endpoint } from './endpoint.ts'

export const structures = {
  listStructures: endpoint<typeof listStructures>({ method: 'GET', url: '/structures' }),
  listFactors: endpoint<typeof listFactors>({
    method: 'GET',
    url: '/structures/:structureId/factors',
  }),
  listStations: endpoint<typeof listStations>({
    method: 'GET',
    url: '/structures/:structureId/stations',
  }),
}
