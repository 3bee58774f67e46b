import type {
  ingestHeartbeats,
  ingestPoints,
  ingestRaw,
  ingestTheme,
  ingestTraffic,
  ingestVibration,
} from '@plumbline/contract'
import { endpoint } from './endpoint.ts'

export const ingest = {
  ingestTheme: endpoint<typeof ingestTheme>({
    method: 'POST',
    url: '/theme',
    query: ['replace'],
  }),
  ingestRaw: endpoint<typeof ingestRaw>({ method: 'POST', url: '/raw', query: ['replace'] }),
  ingestTraffic: endpoint<typeof ingestTraffic>({ method: 'POST', url: '/traffic' }),
  ingestVibration: endpoint<typeof ingestVibration>({
    method: 'POST',
    url: '/vibration',
    query: [
      'encoding',
      'format',
      'channels',
      'count',
      'delimiter',
      'headerRow',
      'timeColumn',
      'timeKind',
    ],
  }),
  ingestHeartbeats: endpoint<typeof ingestHeartbeats>({ method: 'POST', url: '/heartbeats' }),
  ingestPoints: endpoint<typeof ingestPoints, { defaults: 'precision' }>({
    method: 'POST',
    url: '/influx',
    query: ['precision'],
    encoding: 'text',
  }),
}
