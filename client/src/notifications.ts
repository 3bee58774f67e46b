import type {
  addMaintenance,
  endMaintenance,
  listDeliveries,
  listMaintenance,
  sendTestMessage,
} from '@plumbline/contract'
import { endpoint } from './endpoint.ts'

export const notifications = {
  listDeliveries: endpoint<typeof listDeliveries, { defaults: 'limit' }>({
    method: 'GET',
    url: '/deliveries',
  }),
  listMaintenance: endpoint<typeof listMaintenance, { defaults: 'limit' }>({
    method: 'GET',
    url: '/maintenance',
  }),
  addMaintenance: endpoint<typeof addMaintenance>({ method: 'POST', url: '/maintenance' }),
  endMaintenance: endpoint<typeof endMaintenance>({
    method: 'POST',
    url: '/maintenance/:windowId/end',
  }),
  sendTestMessage: endpoint<typeof sendTestMessage>({
    method: 'POST',
    url: '/channels/:channel/test',
  }),
}
