import { SITE } from '../_site.ts'
import { withService, type HttpResponse, type TestService } from '../_service.ts'

export const NOW = Date.UTC(2026, 2, 2)

export const service = () => withService({ site: SITE, now: () => NOW })

/** Calls as a user; user 1 sees everything, user 2 the river only. */
export async function call(
  place: TestService,
  path: string,
  { userId = 1, body }: { userId?: number; body?: object } = {},
): Promise<HttpResponse> {
  return place.call(`/manage/v1/stations/${path}`, {
    method: body === undefined ? 'GET' : 'POST',
    headers: {
      authorization: `Bearer ${await place.issueToken(userId)}`,
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    },
    body: body === undefined ? undefined : JSON.stringify(body),
  })
}

export const record = (time: string | number, strain: number, note?: string) => ({
  time,
  values: { strain },
  ...(note === undefined ? {} : { note }),
})

export const MORNING = '2026-03-01 08:00:00'
