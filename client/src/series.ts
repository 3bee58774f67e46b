import type { getSeries } from '@plumbline/contract'
import { endpoint } from './endpoint.ts'

export const series = {
  getSeries: endpoint<typeof getSeries, { lists: 'stations'; defaults: 'points' }>({
    method: 'GET',
    url: '/series',
  }),
}
