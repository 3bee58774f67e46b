import type { explainStation, recompute } from '@plumbline/contract'
import { endpoint } from './endpoint.ts'

export const derivation = {
  explainStation: endpoint<typeof explainStation, {}>({
    method: 'GET',
    url: '/stations/:stationId/explain',
  }),
  recompute: endpoint<typeof recompute, {}>({
    method: 'POST',
    url: '/structures/:structureId/recompute',
  }),
}
