import type { TestService } from '../_service.ts'

export const NOON = '2026-03-01 12:00:00'

/** Sends a body as it is, with headers of the test's own. */
export const send = (
  service: TestService,
  endpoint: string,
  key: string,
  { headers = {}, body }: { headers?: Record<string, string>; body: string | Uint8Array },
) =>
  service.call(`/ingest/v1/${endpoint}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json', ...headers },
    body,
  })

export async function readRecords(service: TestService, station: number): Promise<any[]> {
  const token = await service.issueToken()
  const response = await service.get(`/stations/theme/data?stations=${station}&limit=10000`, token)
  return response.json().stations[0].data
}
