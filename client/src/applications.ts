import type {
  changeApplicationScope,
  createApplication,
  listApplications,
  renewApplicationSecret,
  revokeApplication,
} from '@plumbline/contract'
import { endpoint } from './endpoint.ts'

export const applications = {
  listApplications: endpoint<typeof listApplications>({ method: 'GET', url: '/applications' }),
  createApplication: endpoint<typeof createApplication, { defaults: 'name' | 'scope' }>({
    method: 'POST',
    url: '/applications',
  }),
  changeApplicationScope: endpoint<typeof changeApplicationScope>({
    method: 'PUT',
    url: '/applications/:appId/scope',
  }),
  renewApplicationSecret: endpoint<typeof renewApplicationSecret>({
    method: 'POST',
    url: '/applications/:appId/secret',
  }),
  revokeApplication: endpoint<typeof revokeApplication>({
    method: 'POST',
    url: '/applications/:appId/revoke',
  }),
}
