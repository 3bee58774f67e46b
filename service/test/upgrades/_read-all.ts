import type { Answer } from './_fixture.ts'
import type { RunningService } from './_program.ts'
import { DAY, HOUR, SENSOR } from './_sent-records.ts'

/** The times of both structures, so long before the fixture was made, in their local time. */
export function localTimes(madeAt: number) {
  const format = (timeZone: string) => {
    const parts = new Intl.DateTimeFormat('sv-SE', {
      timeZone,
      dateStyle: 'short',
      timeStyle: 'medium',
    })
    return (ago: number) => parts.format(madeAt - ago)
  }
  return { bridge: format('Asia/Shanghai'), river: format('Europe/Berlin') }
}

export const themePath = (stations: number[], from: string, to: string): string =>
  `/api/v1/stations/theme/data?${new URLSearchParams({ stations: stations.join(), startTime: from, endTime: to })}`

/** Asks for everything that was stored. */
export async function readAll(
  service: RunningService,
  at: ReturnType<typeof localTimes>,
): Promise<Answer[]> {
  const window = (from: number, to: number, format = at.bridge) =>
    new URLSearchParams({ startTime: format(from), endTime: format(to) }).toString()
  const all = window(7 * DAY, 0)
  const get = (path: string): Promise<Answer> => service.answer({ method: 'GET', path })
  const post = (path: string, body: unknown): Promise<Answer> =>
    service.answer({ method: 'POST', path, body })

  const answers = [
    await get('/api/v1/structures'),
    await get('/api/v1/structures/1/factors'),
    await get('/api/v1/structures/1/stations'),
    await get('/api/v1/structures/2/stations'),
    await get(
      themePath([1001, 1002, 1003, 1004, 1005, 1006, 1031], at.bridge(7 * DAY), at.bridge(0)),
    ),
    await get(themePath([2001], at.river(7 * DAY), at.river(0))),
    await get('/api/v1/stations/theme/data?stations=1001,1006,2001&limit=5'),
    await post(`/api/v1/structures/1/factors/15/stations/data?${all}`, { stations: [1001, 1002] }),
    await get(`/api/v1/structures/1/traffic-flow?${all}`),
    await get(`/api/v1/structures/1/traffic-flow?${all}&overload=true`),
    await get(`/api/v1/structures/1/factors/15/threshold/batches`),
    await get(`/api/v1/structures/2/factors/17/threshold/batches`),
    await get('/api/v1/users/1/alarms/new/count'),
    await get('/api/v1/users/1/alarms/history/count'),
    await post('/api/v1/users/1/alarms?limit=100', { status: 'new' }),
    await post('/api/v1/users/1/alarms?limit=100', { status: 'history' }),
    await get('/api/v1/user/camera/list'),
    await get(`/manage/v1/series?stations=1001,1006&points=40&${all}`),
    await get(`/manage/v1/stations/1001/records?${window(5 * DAY, 3 * DAY)}`),
    await get(`/manage/v1/sensors/${SENSOR}/records?${all}`),
    await get(`/manage/v1/stations/1006/explain?time=${encodeURIComponent(at.bridge(5 * DAY))}`),
    await get('/manage/v1/stations/2001/readings'),
    await get('/manage/v1/stations/1031/vibration/batches'),
    await get('/manage/v1/rejects'),
  ]
  for (const ago of [90 * HOUR, 2 * HOUR]) {
    const collectTime = encodeURIComponent(at.bridge(ago))
    for (const kind of ['raw', 'fft'])
      answers.push(await get(`/api/v1/stations/1031/vibration/${kind}?collectTime=${collectTime}`))
  }
  for (let id = 1; id <= 7; id++) answers.push(await get(`/api/v1/alarms/${id}/details`))
  // What an earlier version did not know is no promise of it.
  return answers.filter(({ status }) => status === 200)
}
