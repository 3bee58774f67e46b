import type { getIntake, getStatus } from '@plumbline/contract'
import { endpoint } from './endpoint.ts'

export const status = {
  getStatus: endpoint<typeof getStatus>({ method: 'GET', url: '/status' }),
  getIntake: endpoint<typeof getIntake>({ method: 'GET', url: '/intake' }),
}
