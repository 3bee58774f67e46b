import type { deleteRecords } from '@plumbline/contract'
import { endpoint } from './endpoint.ts'

export const records = {
  deleteRecords: endpoint<typeof deleteRecords, {}>({ method: 'POST', url: '/records/delete' }),
}
