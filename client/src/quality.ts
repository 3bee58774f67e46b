import type { markSensor, markStation } from '@plumbline/contract'
import { endpoint } from './endpoint.ts'

export const quality = {
  markStation: endpoint<typeof markStation, {}>({
    method: 'POST',
    url: '/stations/:stationId/quality',
  }),

  markSensor: endpoint<typeof markSensor, {}>({
    method: 'POST',
    url: '/sensors/:sensorId/quality',
  }),
}
