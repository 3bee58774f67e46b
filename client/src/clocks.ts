import type { listClocks } from '@plumbline/contract'
import { endpoint } from './endpoint.ts'

export const clocks = {
  listClocks: endpoint<typeof listClocks>({ method: 'GET', url: '/clocks' }),
}
