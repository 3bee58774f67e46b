import type { Child } from '../_child.ts'
import { callHttps, type HttpResponse } from '../_service.ts'
import { KEY, TOKEN } from './_site.ts'

const START = Date.UTC(2026, 0, 1)
const DAY = 'startTime=2026-01-01%2000:00:00&endTime=2026-01-02%2000:00:00'

/** Sends a record of station 1: the seconds since the start of 2026 are its time and its value. */
export const sendSecond = (child: Child, second: number): Promise<HttpResponse> =>
  callHttps(`${child.origin}/ingest/v1/theme`, child.certificate, {
    method: 'POST',
    headers: { authorization: `Bearer ${KEY}`, 'content-type': 'application/json' },
    body: JSON.stringify({
      records: [{ station: 1, time: START + second * 1000, values: { v: second } }],
    }),
  })

/** The records of station 1 on that day. */
export async function readDay(child: Child): Promise<{ v: number }[]> {
  const url = `${child.origin}/api/v1/stations/theme/data?stations=1&${DAY}&token=${TOKEN}`
  const response = await callHttps(url, child.certificate, {})
  return response.json().stations[0].data
}
