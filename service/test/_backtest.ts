import type { HttpResponse, TestService } from './_service.ts'

/** Holds a draft of thresholds of station 1003 against an hour of the past. */
export const backtest = (
  service: TestService,
  token: string,
  items: readonly object[],
): Promise<HttpResponse> =>
  service.call('/manage/v1/thresholds/backtest', {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify({
      structure: 1,
      factor: 15,
      startTime: '2026-03-01 00:00:00',
      endTime: '2026-03-01 01:00:00',
      thresholds: { stations: [1003], items },
    }),
  })
