import assert from 'node:assert/strict'
import { withService, type HttpResponse, type TestService } from '../_service.ts'
import { SITE } from '../_site.ts'

export const NOW = Date.UTC(2026, 2, 2, 4)
export const DAY = { startTime: '2026-03-01 00:00:00', endTime: '2026-03-01 23:59:59' }
const ALL = 'startTime=2026-01-01 00:00:00&endTime=2026-12-31 00:00:00'

export const at = (minute: number): string => `2026-03-01 08:${String(minute).padStart(2, '0')}:00`

/** A service with what tests send, ask and mark. */
export async function open(site = SITE) {
  const service = await withService({ site, now: () => NOW })
  const key = await service.createKey()
  const tokens = { all: await service.issueToken(1), other: await service.issueToken(2) }
  const send = async (way: string, ...records: object[]) => {
    const response = await service.ingest(way, key, { records })
    assert.equal(response.json().accepted, records.length, response.text)
  }
  return {
    service,
    tokens,
    send,
    theme: (station: number, minute: number, values: object, more: object = {}) =>
      send('theme', { station, time: at(minute), values, ...more }),
    raw: (sensor: string, minute: number, values: object) =>
      send('raw', { sensor, time: at(minute), values }),
    mark: (path: string, body: object) => mark(service, tokens.all, path, body),
    values: (station: number) => valuesOf(service, tokens.all, station),
    alarms: () => countAlarms(service, tokens.all),
    [Symbol.asyncDispose]: () => service[Symbol.asyncDispose](),
  }
}

export function mark(
  own: TestService,
  token: string,
  path: string,
  body: object,
): Promise<HttpResponse> {
  return own.call(`/manage/v1/${path}/quality`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${token}` },
    body: JSON.stringify({ ...DAY, ...body }),
  })
}

async function valuesOf(own: TestService, token: string, station: number): Promise<object[]> {
  const response = await own.get(`/stations/theme/data?stations=${station}&${ALL}`, token)
  const [found] = response.json().stations
  return (found?.data ?? []).map(({ time: _time, ...values }: Record<string, unknown>) => values)
}

const countAlarms = async (own: TestService, token: string): Promise<number> =>
  (await own.get('/users/1/alarms/new/count', token)).json().count

export async function undo({ storage }: TestService, change: number): Promise<void> {
  for (let isDone = false; !isDone;) {
    const step = await storage.changes.undo(change, { limit: 3, now: NOW })
    assert.equal(step.left, 0)
    isDone = step.isDone
  }
}
