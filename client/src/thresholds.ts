import type { listThresholdBatches } from '@plumbline/contract'
import { endpoint } from './endpoint.ts'

export const thresholds = {
  listThresholdBatches: endpoint<typeof listThresholdBatches>({
    method: 'GET',
    url: '/structures/:structId/factors/:factorId/threshold/batches',
  }),
}
