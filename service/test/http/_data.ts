import assert from 'node:assert/strict'
import { IDS, SITE } from '../_site.ts'
import { shareService } from '../_suite.ts'

const MINUTE = 60_000

/** More than two pages of storage, and far more than is buffered before a response is streamed. */
export const MANY = 4_100

/** 2026-03-01 12:00:00 in Shanghai. */
const NOON = Date.UTC(2026, 2, 1, 4)

const shanghai = (instant: number): string =>
  new Date(instant + 8 * 3_600_000).toISOString().slice(0, 19).replace('T', ' ')

/** The records of station 1001: one a minute, of values that need every digit. */
const SENT = Array.from({ length: MANY }, (_, index) => ({
  instant: NOON + index * MINUTE,
  strain: Math.sin(index) * 1000,
  temperature: index / 7,
}))

export const SERVED = SENT.map(({ instant, strain, temperature }) => ({
  strain,
  temperature,
  time: shanghai(instant),
}))

export const WINDOW = 'startTime=2026-03-01+12:00:00&endTime=2026-03-01+12:02:00'

/** A service with records of a bridge and of a river for the tests of a file, and how they read it. */
export function shareRecords() {
  const suite = shareService({ site: SITE }, async ({ service, key }) => {
    const records = [
      ...SENT.map(({ instant, ...values }) => ({ station: 1001, time: instant, values })),
      { station: 1002, time: '2026-03-01 12:00:00', values: { strain: 7 } },
      { station: 1041, time: '2026-03-01 12:00:00', values: { temperature: 300 } },
      { station: 2001, time: '2026-03-01 12:00:00', values: { waterLevel: 3.25 } },
      { station: 2001, time: '2026-03-01 12:00:00.500', values: { waterLevel: 3.5 } },
      { station: 2001, time: '2026-03-01 12:00:01', values: { waterLevel: 4 } },
    ]
    const report = await service.ingest('theme', key, { records })
    assert.equal(report.json().accepted, records.length)
    await service.ingest('raw', key, {
      records: [
        {
          sensor: IDS.wire,
          time: '2026-03-01 12:00:00',
          values: { frequency: 1600, temperature: 25 },
        },
        { sensor: IDS.gauge, time: '2026-03-01 12:00:00', values: { reading: 1.5 } },
      ],
    })
    await service.call('/ingest/v1/raw', {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: `{"records":[{"sensor":"${IDS.riverGauge}","time":"2026-03-01 12:00:00","values":{"__proto__":5}}]}`,
    })
  })

  const theme = (query: string, own = suite.token) =>
    suite.service.get(`/stations/theme/data?${query}`, own)

  const recordsOf = async (query: string): Promise<any[]> =>
    (await theme(query)).json().stations[0].data

  return { suite, theme, recordsOf }
}
