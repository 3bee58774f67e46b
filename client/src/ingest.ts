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
    isRepeatable: true,
    query: ['replace'],
  }),
  ingestRaw: endpoint<typeof ingestRaw>({
    method: 'POST',
    url: '/raw',
    isRepeatable: true,
    query: ['replace'],
  }),
  ingestTraffic: endpoint<typeof ingestTraffic>({
    method: 'POST',
    url: '/traffic',
    isRepeatable: true,
  }),
  ingestVibration: endpoint<typeof ingestVibration>({
    method: 'POST',
    url: '/vibration',
    isRepeatable: true,
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
  ingestHeartbeats: endpoint<typeof ingestHeartbeats>({
    method: 'POST',
    url: '/heartbeats',
    isRepeatable: true,
  }),
  // A point without a timestamp gets the time of its arrival, another one each time.
  ingestPoints: endpoint<typeof ingestPoints, { defaults: 'precision' }>({
    method: 'POST',
    url: '/influx',
    query: ['precision'],
    encoding: 'text',
  }),
}
