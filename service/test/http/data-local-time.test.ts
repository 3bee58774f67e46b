import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { SITE } from '../_site.ts'
import { withService } from '../_service.ts'
import { shareRecords } from './_data.ts'

const { theme } = shareRecords()

const water = (time: unknown, waterLevel: number) => ({
  station: 2001,
  time,
  values: { waterLevel },
})

const missing = (time: string) =>
  `time "${time}" does not exist in Europe/Berlin; send it with its offset`

describe('local time', () => {
  test('one call over two time zones reads and serves each station’s own clock', async () => {
    const response = await theme(
      'stations=1002,2001&startTime=2026-03-01+12:00:00&endTime=2026-03-01+12:00:00',
    )

    const [bridge, river] = response.json().stations
    assert.deepEqual(bridge.data, [{ strain: 7, time: '2026-03-01 12:00:00' }])
    assert.equal(river.data.length, 2)
    assert.equal(river.data[0].time, '2026-03-01 12:00:00')
  })

  test('in the hour that is missing a record is rejected, and replaces none', async () => {
    await using own = await withService({ site: SITE, now: () => Date.UTC(2027, 0, 1) })
    const key = await own.createKey()

    // On 2026-03-29 clocks in Berlin go from 02:00 to 03:00.
    const response = await own.ingest('theme', key, {
      records: [
        water('2026-03-29 03:30:00', 2),
        water('2026-03-29 02:30:00', 1),
        water('2026-03-29T02:30:00+01:00', 3),
        water('2026-03-29T02:31', 4),
      ],
    })

    assert.deepEqual(response.json(), {
      accepted: 2,
      replaced: 0,
      rejected: [
        { index: 1, message: missing('2026-03-29 02:30:00') },
        { index: 3, message: missing('2026-03-29T02:31') },
      ],
    })
  })

  test('in the hour that comes twice a time means the earlier pass', async () => {
    await using own = await withService({ site: SITE, now: () => Date.UTC(2027, 0, 1) })
    const key = await own.createKey()
    const reader = await own.issueToken()
    // On 2026-10-25 clocks in Berlin go from 03:00 back to 02:00, at 01:00 UTC.
    await own.ingest('theme', key, {
      records: [
        water('2026-10-25T00:30:00Z', 1),
        water('2026-10-25T01:30:00Z', 2),
        water('2026-10-25T02:30:00Z', 3),
      ],
    })

    const read = async (start: string, end: string): Promise<any[]> =>
      (
        await own.get(
          `/stations/theme/data?stations=2001&startTime=2026-10-25+${start}&endTime=2026-10-25+${end}`,
          reader,
        )
      ).json().stations[0].data

    assert.deepEqual(await read('00:00:00', '04:00:00'), [
      { waterLevel: 1, time: '2026-10-25 02:30:00' },
      { waterLevel: 2, time: '2026-10-25 02:30:00' },
      { waterLevel: 3, time: '2026-10-25 03:30:00' },
    ])
    assert.deepEqual(
      (await read('02:30:00', '02:30:00')).map(({ waterLevel }) => waterLevel),
      [1],
    )
    const replaced = await own.ingest('theme', key, { records: [water('2026-10-25 02:30:00', 9)] })
    assert.equal(replaced.json().replaced, 1)
    assert.equal((await read('02:30:00', '02:30:00'))[0].waterLevel, 9)
  })

  test('a time of a query in the hour that is missing is the time after it', async () => {
    await using own = await withService({ site: SITE, now: () => Date.UTC(2027, 0, 1) })
    const key = await own.createKey()
    const reader = await own.issueToken()
    // On 2026-03-29 clocks in Berlin go from 02:00 on to 03:00.
    await own.ingest('theme', key, {
      records: [{ station: 2001, time: '2026-03-29 03:30:00', values: { waterLevel: 1 } }],
    })

    const read = async (start: string, end: string) =>
      (
        await own.get(
          `/stations/theme/data?stations=2001&startTime=2026-03-29+${start}&endTime=2026-03-29+${end}`,
          reader,
        )
      ).json().stations[0].data

    const expected = [{ waterLevel: 1, time: '2026-03-29 03:30:00' }]
    assert.deepEqual(await read('03:30:00', '03:30:00'), expected)
    assert.deepEqual(await read('02:30:00', '02:30:00'), expected)
    assert.deepEqual(await read('02:00:00', '02:59:59'), expected)
    assert.deepEqual(await read('01:00:00', '02:00:00'), [])
  })
})
