import type { getVibrationFft, getVibrationRaw } from '@plumbline/contract'
import { endpoint } from './endpoint.ts'

export const vibration = {
  getVibrationRaw: endpoint<typeof getVibrationRaw>({
    method: 'GET',
    url: '/stations/:stationId/vibration/raw',
  }),
  getVibrationFft: endpoint<typeof getVibrationFft>({
    method: 'GET',
    url: '/stations/:stationId/vibration/fft',
  }),
}
