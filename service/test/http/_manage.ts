import type { AppScope } from '@plumbline/contract'
import type { HttpResponse, TestService } from '../_service.ts'

export type Manage = (
  method: 'GET' | 'POST' | 'PUT' | 'DELETE',
  path: string,
  body?: object | Uint8Array,
) => Promise<HttpResponse>

/** Calls operations of management with a token of a user. */
export async function manageAs(
  service: TestService,
  userId = 1,
  scope: AppScope = 'admin',
): Promise<Manage> {
  const token = await service.issueToken(userId, scope)
  return (method, path, body) =>
    service.call(`/manage/v1${path}`, {
      method,
      headers: {
        authorization: `Bearer ${token}`,
        ...(body === undefined
          ? {}
          : {
              'content-type':
                body instanceof Uint8Array ? 'application/octet-stream' : 'application/json',
            }),
      },
      body: body === undefined || body instanceof Uint8Array ? body : JSON.stringify(body),
    })
}
