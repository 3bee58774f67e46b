import type {
  getCableForce,
  getVibrationIntegrated,
  getVibrationPeaks,
  getVibrationPsd,
  getVibrationSpectrogram,
  listVibrationBatches,
} from '@plumbline/contract'
import { endpoint } from './endpoint.ts'

type Segmented = { defaults: 'window' | 'overlap' }

export const analysis = {
  listVibrationBatches: endpoint<typeof listVibrationBatches, { defaults: 'limit' }>({
    method: 'GET',
    url: '/stations/:stationId/vibration/batches',
  }),
  getVibrationPsd: endpoint<typeof getVibrationPsd, Segmented>({
    method: 'GET',
    url: '/stations/:stationId/vibration/psd',
  }),
  getVibrationPeaks: endpoint<
    typeof getVibrationPeaks,
    { defaults: 'window' | 'prominence' | 'limit' }
  >({
    method: 'GET',
    url: '/stations/:stationId/vibration/peaks',
  }),
  getVibrationSpectrogram: endpoint<typeof getVibrationSpectrogram, Segmented>({
    method: 'GET',
    url: '/stations/:stationId/vibration/spectrogram',
  }),
  getVibrationIntegrated: endpoint<typeof getVibrationIntegrated>({
    method: 'GET',
    url: '/stations/:stationId/vibration/integrated',
  }),
  getCableForce: endpoint<typeof getCableForce, { defaults: 'mode' | 'ratio' }>({
    method: 'GET',
    url: '/stations/:stationId/vibration/cable-force',
  }),
}
