import type {
  cancelImport,
  getImport,
  listImports,
  sendImportFile,
  startImport,
} from '@plumbline/contract'
import { endpoint } from './endpoint.ts'

export const imports = {
  startImport: endpoint<typeof startImport>({ method: 'POST', url: '/imports' }),
  // The part before it was stored or it was not: `offset` tells.
  sendImportFile: endpoint<typeof sendImportFile, { defaults: 'offset' }>({
    method: 'PUT',
    url: '/imports/:importId/file',
    isRepeatable: true,
    query: ['offset', 'isLast'],
    encoding: 'bytes',
  }),
  listImports: endpoint<typeof listImports, { defaults: 'limit' }>({
    method: 'GET',
    url: '/imports',
  }),
  getImport: endpoint<typeof getImport>({ method: 'GET', url: '/imports/:importId' }),
  cancelImport: endpoint<typeof cancelImport>({
    method: 'POST',
    url: '/imports/:importId/cancel',
  }),
}
