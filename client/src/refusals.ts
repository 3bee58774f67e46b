import type { dropRefusals, listRefusals, replayRefusals } from '@plumbline/contract'
import { endpoint } from './endpoint.ts'

export const refusals = {
  listRefusals: endpoint<typeof listRefusals, { defaults: 'limit' }>({
    method: 'GET',
    url: '/refusals',
  }),
  replayRefusals: endpoint<typeof replayRefusals>({ method: 'POST', url: '/refusals/replay' }),
  dropRefusals: endpoint<typeof dropRefusals>({ method: 'POST', url: '/refusals/drop' }),
}
