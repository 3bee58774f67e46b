import type { dropRejects, listRejects, repairReject, replayRejects } from '@plumbline/contract'
import { endpoint } from './endpoint.ts'

export const rejects = {
  listRejects: endpoint<typeof listRejects, { defaults: 'limit' }>({
    method: 'GET',
    url: '/rejects',
  }),
  replayRejects: endpoint<typeof replayRejects>({ method: 'POST', url: '/rejects/replay' }),
  repairReject: endpoint<typeof repairReject>({
    method: 'POST',
    url: '/rejects/:rejectId/repair',
  }),
  dropRejects: endpoint<typeof dropRejects>({ method: 'POST', url: '/rejects/drop' }),
}
