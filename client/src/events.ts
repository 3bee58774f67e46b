import type { streamEvents } from '@plumbline/contract'
import { endpoint } from './endpoint.ts'

export const events = {
  streamEvents: endpoint<typeof streamEvents>({ method: 'GET', url: '/events' }),
}
