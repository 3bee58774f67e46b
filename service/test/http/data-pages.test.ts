import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { gunzipSync } from 'node:zlib'
import { MANY, SERVED, shareRecords } from './_data.ts'

const { suite, theme, recordsOf } = shareRecords()

describe('a large response', () => {
  const ALL = 'stations=1001&startTime=2026-01-01+00:00:00&endTime=2027-01-01+00:00:00'

  test('is streamed without a length, and equal to what was sent in', async () => {
    const response = await theme(ALL)

    assert.equal(response.headers['content-length'], undefined)
    assert.ok(response.bytes.length > 300_000)
    assert.deepEqual(response.json().stations[0].data, SERVED)
  })

  test('is the same bytes under gzip', async () => {
    const plain = await theme(ALL)
    const zipped = await suite.service.get(`/stations/theme/data?${ALL}`, suite.token, {
      'accept-encoding': 'br, gzip;q=0.5',
    })

    assert.equal(zipped.headers['content-encoding'], 'gzip')
    assert.ok(zipped.bytes.length < plain.bytes.length / 2)
    assert.deepEqual(gunzipSync(zipped.bytes), plain.bytes)
  })

  test('newest first with a limit, it crosses pages without a gap or a repeat', async () => {
    const newest = SERVED.toReversed()

    for (const limit of [1999, 2000, 2001, 4000, 4001, MANY, 10_000])
      assert.deepEqual(
        await recordsOf(`stations=1001&limit=${limit}`),
        newest.slice(0, limit),
        String(limit),
      )
  })

  test('of exactly a page, and one record more or less, is whole', async () => {
    for (const count of [1999, 2000, 2001, 4000]) {
      const [start, end] = [SERVED[1]!.time, SERVED[count]!.time].map(encodeURIComponent)
      const records = await recordsOf(`stations=1001&startTime=${start}&endTime=${end}`)
      assert.deepEqual(records, SERVED.slice(1, count + 1), String(count))
    }
  })

  test('of several stations it is whole', async () => {
    const { stations } = (await theme(`${ALL.replace('1001', '1002,1001,1041')}`)).json()

    assert.deepEqual(
      stations.map(({ data }: any) => data.length),
      [1, MANY, 1],
    )
  })

  test('has no gzip for a client that refuses it', async () => {
    for (const accepted of ['identity', 'br', 'gzip;q=0', '*;q=0']) {
      const response = await suite.service.get(
        `/stations/theme/data?stations=1002&limit=1`,
        suite.token,
        {
          'accept-encoding': accepted,
        },
      )
      assert.equal(response.headers['content-encoding'], undefined, accepted)
      assert.equal(response.headers['vary'], 'accept-encoding')
      assert.equal(Number(response.headers['content-length']), response.bytes.length)
    }
  })
})
