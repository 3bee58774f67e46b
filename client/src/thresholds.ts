import type {
  backtestThresholds,
  changeThresholdBatch,
  createThresholdBatch,
  deleteThresholdBatch,
  listThresholdBatches,
  listThresholdDrafts,
} from '@plumbline/contract'
import { endpoint } from './endpoint.ts'

export const thresholds = {
  listThresholdBatches: endpoint<typeof listThresholdBatches>({
    method: 'GET',
    url: '/structures/:structId/factors/:factorId/threshold/batches',
  }),
}

export const thresholdManagement = {
  listThresholdDrafts: endpoint<typeof listThresholdDrafts>({
    method: 'GET',
    url: '/structures/:structId/threshold/batches',
  }),
  createThresholdBatch: endpoint<typeof createThresholdBatch>({
    method: 'POST',
    url: '/structures/:structId/factors/:factorId/threshold/batches',
  }),
  changeThresholdBatch: endpoint<typeof changeThresholdBatch>({
    method: 'PUT',
    url: '/structures/:structId/factors/:factorId/threshold/batches/:batchNo',
  }),
  deleteThresholdBatch: endpoint<typeof deleteThresholdBatch>({
    method: 'DELETE',
    url: '/structures/:structId/factors/:factorId/threshold/batches/:batchNo',
  }),
  backtestThresholds: endpoint<typeof backtestThresholds>({
    method: 'POST',
    url: '/thresholds/backtest',
    isRepeatable: true,
  }),
}
