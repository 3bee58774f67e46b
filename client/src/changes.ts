import type { listChanges, undoChange } from '@plumbline/contract'
import { endpoint } from './endpoint.ts'

export const changes = {
  listChanges: endpoint<typeof listChanges, { defaults: 'limit' }>({
    method: 'GET',
    url: '/changes',
  }),
  undoChange: endpoint<typeof undoChange>({ method: 'POST', url: '/changes/:changeId/undo' }),
}
