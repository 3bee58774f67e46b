import type { deletePortrait, putPortrait, setPositions } from '@plumbline/contract'
import { endpoint } from './endpoint.ts'

export const portraits = {
  putPortrait: endpoint<typeof putPortrait>({
    method: 'PUT',
    url: '/structures/:structureId/portrait',
    encoding: 'bytes',
  }),
  deletePortrait: endpoint<typeof deletePortrait>({
    method: 'DELETE',
    url: '/structures/:structureId/portrait',
  }),
  setPositions: endpoint<typeof setPositions>({
    method: 'PUT',
    url: '/structures/:structureId/positions',
  }),
}
