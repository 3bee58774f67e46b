import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { freePort, withService } from '../_service.ts'
import { IDS, SITE } from '../_site.ts'

const PLATE = 'DEMO-4711'

async function withOps() {
  const port = await freePort()
  const service = await withService({ site: SITE, settings: { 'ops.port': port } })
  const key = await service.createKey('logger-7')
  const getText = async (path: string) => (await fetch(`http://127.0.0.1:${port}${path}`)).text()
  const sources = async () => JSON.parse(await getText('/health/ingest')).sources
  const lines = () =>
    service.logged
      .map((line) => JSON.parse(line))
      .filter(({ msg }) => msg === 'records of requests were rejected')
      .map(({ level, origin, key: name, requests, accepted, rejected, reason }) => {
        return { level, origin, key: name, requests, accepted, rejected, reason }
      })
  return { service, key, getText, sources, lines }
}

const good = { station: 1001, time: 1_772_362_800_000, values: { strain: 1 } }
const unknown = { ...good, station: 9 }

describe('records rejected over HTTP', () => {
  for (const name of [PLATE, `"${PLATE}\\"`, `${PLATE}\n"`.repeat(20)])
    test(`are not repeated in the log: ${JSON.stringify(name).slice(0, 20)}`, async () => {
      const { service, key, lines } = await withOps()
      await using _ = service

      const response = await service.ingest('theme', key, {
        records: [{ ...good, values: { [name]: 1 } }],
      })

      assert.match(response.json().rejected[0].message, /station 1001 has no item ".*DEMO-4711/)
      assert.equal(lines()[0]?.reason, 'station 1001 has no item "…"')
      assert.ok(!service.logged.join('').includes(PLATE))
    })

  test('are counted by their endpoint, and one log line names key, numbers and the first reason', async () => {
    const { service, key, getText, sources, lines } = await withOps()
    await using _ = service

    await service.ingest('theme', key, { records: [good, unknown, { ...good, time: 'x' }] })
    await service.ingest('theme', key, { records: [good] })
    await service.ingest('raw', key, { records: [{ sensor: IDS.wire }] })

    assert.deepEqual(await sources(), [
      {
        origin: 'http raw',
        counts: { messages: 1, records: 0, replaced: 0, refused: 1, rejected: 1, empty: 0 },
      },
      {
        origin: 'http theme',
        counts: { messages: 2, records: 2, replaced: 1, refused: 1, rejected: 2, empty: 0 },
      },
    ])
    const metrics = await getText('/metrics')
    assert.match(metrics, /^plumbline_ingest_rejected_records_total\{origin="http theme"\} 2$/m)
    assert.match(
      metrics,
      /^plumbline_ingest_messages_total\{origin="http theme",what="records"\} 2$/m,
    )
    assert.doesNotMatch(metrics, /plumbline_ingest_source_connected\{origin="http/)
    const [ofTheme, ...others] = lines()
    assert.deepEqual(ofTheme, {
      level: 40,
      origin: 'http theme',
      key: 'logger-7',
      requests: 1,
      accepted: 1,
      rejected: 2,
      reason: 'station 9 is not known',
    })
    assert.deepEqual(
      others.map(({ origin }) => origin),
      ['http raw'],
    )
  })

  test('of many requests in a row write one log line, and are all counted', async () => {
    const { service, key, sources, lines } = await withOps()
    await using _ = service

    for (let at = 0; at < 20; at++) await service.ingest('theme', key, { records: [unknown] })

    assert.equal(lines().length, 1)
    assert.equal((await sources())[0].counts.rejected, 20)
    await service[Symbol.asyncDispose]()
    assert.deepEqual(
      lines().map(({ requests, rejected }) => [requests, rejected]),
      [
        [1, 1],
        [19, 19],
      ],
    )
  })

  test('as a whole are one, and so is a point of line protocol; no key and no plate is logged', async () => {
    const { service, key, sources, lines } = await withOps()
    await using _ = service
    const post = (way: string, body: string, type: string) =>
      service.call(`/ingest/v1/${way}`, {
        method: 'POST',
        headers: { 'content-type': type, authorization: `Bearer ${key}` },
        body,
      })

    await service.ingest('vibration', key, { station: 9 })
    await post('traffic', `{"records":[{"license":"${PLATE}"`, 'application/json')
    await post('traffic', `{"structure":"${PLATE}"}\n`, 'application/x-ndjson')
    await post('influx', 'm,sensor=x f=1\nm f=1', 'text/plain')

    const rejected = (await sources()).map(({ origin, counts }: any) => [origin, counts.rejected])
    assert.deepEqual(rejected, [
      ['http traffic', 2],
      ['http vibration', 1],
      ['influx', 2],
    ])
    assert.match(lines()[0]!.reason, /station 9 is not known/)
    const logged = service.logged.join('')
    assert.ok(!logged.includes(PLATE) && !logged.includes(key))
  })
})
