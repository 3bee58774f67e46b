import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import {
  INFLUX_ORIGIN,
  fileOrigin,
  mqttOrigin,
  type RejectOrigin,
} from '../../src/domain/rejects/reject-origin.ts'
import { openCatalogue } from '../../src/storage/current-catalogue.ts'
import type { Reject } from '../../src/storage/storage.ts'
import { IDS, SITE } from '../_site.ts'
import { withService, type TestService } from '../_service.ts'

const KEEP = { records: 100 }

const subscriptions = [
  { topic: 'site/{sensor}/up', preset: 'tsValues', sensors: { wire: IDS.wire } },
]

/** A service that once knew the broker "old" and the one that is set up, away for now. */
async function withRejects(rejects: readonly Reject[]): Promise<TestService> {
  const service = await withService({
    site: SITE,
    settings: { 'ingest.mqtt': [{ name: 'now', url: 'mqtt://127.0.0.1:9', subscriptions }] },
  })
  await service.storage.rejects.add(rejects, KEEP)
  return service
}

const bytesOf = (payload: unknown): Buffer =>
  Buffer.from(typeof payload === 'string' ? payload : JSON.stringify(payload))

const base64 = (payload: unknown): string => bytesOf(payload).toString('base64')

const refusal = (
  origin: RejectOrigin,
  place: string,
  payload: unknown,
  context = JSON.stringify({ topic: place }),
): Reject => ({
  ...origin,
  place,
  reason: 'it was wrong',
  payload: bytesOf(payload),
  receivedAt: 1_772_362_800_000,
  context,
})

const call = async (service: TestService, path: string, userId = 1, body?: object) =>
  service.call(`/manage/v1${path}`, {
    method: body === undefined ? 'GET' : 'POST',
    headers: {
      authorization: `Bearer ${await service.issueToken(userId)}`,
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    },
    body: body === undefined ? undefined : JSON.stringify(body),
  })

const good = { ts: 1_772_362_800_000, values: { temperature: 5 } }
const bad = { ts: 'never', values: { temperature: 5 } }

/** A good record some seconds later. */
const at = (seconds: number, temperature: number) => ({
  ts: good.ts + seconds * 1000,
  values: { temperature },
})

async function readTemperatures(service: TestService): Promise<number[]> {
  const response = await service.get(
    '/stations/theme/data?stations=1003&limit=100',
    await service.issueToken(),
  )
  return response.json().stations[0].data.map(({ temperature }: any) => temperature)
}

/** A point some seconds later than the good record. */
const point = (measurement: string, second: number) =>
  `${measurement},sensor=${IDS.wire} temperature=21 ${good.ts / 1000 + second}`

describe('listRejects', () => {
  test('gives the newest first, page by page, with their payloads and the counts', async () => {
    await using service = await withRejects([
      refusal(mqttOrigin('now'), 'a', 'one'),
      refusal(INFLUX_ORIGIN, 'line 1 (s)', 'two'),
      refusal(mqttOrigin('now'), 'b', Buffer.from([0xff]).toString('latin1')),
    ])

    const all = (await call(service, '/rejects')).json()
    const first = (await call(service, '/rejects?limit=1')).json().rejects
    const next = (await call(service, `/rejects?limit=2&before=${first[0].id}`)).json().rejects
    const ofOne = (await call(service, '/rejects?origin=influx')).json().rejects

    assert.deepEqual(all.origins, [
      { origin: 'influx', kept: 1, dropped: 0 },
      { origin: 'mqtt now', kept: 2, dropped: 0 },
    ])
    assert.deepEqual(
      all.rejects.map(({ place }: any) => place),
      ['b', 'line 1 (s)', 'a'],
    )
    assert.deepEqual([...first, ...next], all.rejects)
    assert.deepEqual(ofOne, [all.rejects[1]])
    assert.equal(Buffer.from(ofOne[0].payload, 'base64').toString(), 'two')
  })

  test('and their operations need access to all structures', async () => {
    await using service = await withRejects([])

    for (const [path, body] of [
      ['/rejects', undefined],
      ['/rejects/replay', { ids: [1] }],
      ['/rejects/1/repair', { payload: 'e30=' }],
      ['/rejects/drop', { ids: [1] }],
    ] as const)
      assert.equal((await call(service, path, 2, body)).status, 403, path)
  })
})

describe('replayRejects', () => {
  test('stores what can be stored with the current settings and keeps the rest', async () => {
    await using service = await withRejects([
      refusal(mqttOrigin('now'), 'site/wire/up', good),
      refusal(mqttOrigin('now'), 'site/wire/up', bad),
      refusal(mqttOrigin('now'), 'elsewhere', good),
      refusal(mqttOrigin('old'), 'site/wire/up', good),
      refusal(fileOrigin('x.csv'), '3', 'a,b'),
      refusal(INFLUX_ORIGIN, 'line 9 (s)', `m,sensor=${IDS.wire} temperature=6 1772362801`, 's'),
    ])
    const ids = (await call(service, '/rejects')).json().rejects.map(({ id }: any) => id)
    const [influx, file, old, elsewhere, wrong] = ids

    const response = (await call(service, '/rejects/replay', 1, { ids: [...ids, 999] })).json()

    assert.equal(response.replayed, 2)
    assert.deepEqual(
      new Map(response.rejected.map(({ id, message }: any) => [id, message])),
      new Map<number, string>([
        [
          wrong,
          `time must be a local date and time YYYY-MM-DD HH:mm:ss, an ISO 8601 instant or epoch milliseconds`,
        ],
        [elsewhere, 'the settings have no subscription for this topic'],
        [old, 'the settings have no broker of the name in "mqtt old"'],
        [
          file,
          'it is no row that can be read by itself; import the file again, or let the folder be read on',
        ],
        [999, 'there is no such reject'],
      ]),
    )
    assert.deepEqual(await readTemperatures(service), [6, 5])
    const left = (await call(service, '/rejects')).json().rejects.map(({ id }: any) => id)
    assert.deepEqual(left, [file, old, elsewhere, wrong])
    assert.ok(!left.includes(influx))
  })

  test('of a message with several records stores the rejected ones only', async () => {
    const message = [at(0, 1), at(1, 2), at(2, 3)]
    await using service = await withRejects([
      refusal(
        mqttOrigin('now'),
        'site/wire/up#0,2',
        message,
        JSON.stringify({ topic: 'site/wire/up', indexes: [0, 2] }),
      ),
    ])
    const [{ id }] = (await call(service, '/rejects')).json().rejects

    await call(service, '/rejects/replay', 1, { ids: [id] })

    assert.deepEqual(await readTemperatures(service), [3, 1])
  })

  test('merges or replaces whole as the subscription and the mapping of the point say', async () => {
    const aliases = { sensors: { wire: IDS.wire } }
    const topics = ['part', 'whole'].map((topic) => ({
      topic: `${topic}/{sensor}/up`,
      preset: 'tsValues',
      replace: topic === 'part' ? 'keys' : 'whole',
      ...aliases,
    }))
    await using service = await withService({
      site: SITE,
      settings: {
        'ingest.mqtt': [{ name: 'now', url: 'mqtt://127.0.0.1:9', subscriptions: topics }],
        'ingest.lineProtocol': [{ measurement: 'whole', replace: 'whole' }, {}],
      } as never,
    })
    const key = await service.createKey()
    const both = { frequency: 1500, temperature: 20 }
    const records = [0, 1, 2, 3].map((second) => {
      return { sensor: IDS.wire, time: good.ts + second * 1000, values: both }
    })
    await service.ingest('raw', key, { records })
    await service.storage.rejects.add(
      [
        refusal(mqttOrigin('now'), 'part/wire/up', at(0, 21)),
        refusal(mqttOrigin('now'), 'whole/wire/up', at(1, 21)),
        refusal(INFLUX_ORIGIN, 'line 1 (s)', point('part', 2), 's'),
        refusal(INFLUX_ORIGIN, 'line 2 (s)', point('whole', 3), 's'),
      ],
      KEEP,
    )
    const ids = (await call(service, '/rejects')).json().rejects.map(({ id }: any) => id)

    const { replayed } = (await call(service, '/rejects/replay', 1, { ids })).json()

    const { sensors } = await openCatalogue(service.storage.site)()
    const times = records.map(({ time }) => time)
    const sources = times.map(() => sensors.get(IDS.wire)!.key)
    const stored = await service.storage.records.findStored('raw', { sources, times })
    assert.equal(replayed, 4)
    assert.deepEqual(
      stored.map(({ record }) => Object.keys(JSON.parse(record ?? '{}')).length - 1),
      [2, 1, 2, 1],
    )
  })
})

describe('repairReject', () => {
  test('stores what a person has corrected, and the reject leaves the list', async () => {
    await using service = await withRejects([
      refusal(mqttOrigin('now'), 'site/wire/up', bad),
      refusal(INFLUX_ORIGIN, 'line 9 (s)', 'm,sensor=gone temperature=6 1772362801', 's'),
    ])
    const [line, message] = (await call(service, '/rejects')).json().rejects

    const ofMessage = await call(service, `/rejects/${message.id}/repair`, 1, {
      payload: base64(good),
    })
    const ofLine = await call(service, `/rejects/${line.id}/repair`, 1, {
      payload: base64(point('m', 1)),
    })

    assert.deepEqual([ofMessage.status, ofLine.status], [204, 204])
    assert.deepEqual(await readTemperatures(service), [21, 5])
    assert.deepEqual((await call(service, '/rejects')).json().rejects, [])
    const again = await call(service, `/rejects/${line.id}/repair`, 1, { payload: 'e30=' })
    assert.equal(again.status, 404)
    assert.equal(again.json().message, `There is no reject ${line.id}.`)
  })

  test('of a message with several records stores the rejected ones only', async () => {
    await using service = await withRejects([
      refusal(
        mqttOrigin('now'),
        'site/wire/up#1',
        [at(0, 1), bad, at(2, 3)],
        JSON.stringify({ topic: 'site/wire/up', indexes: [1] }),
      ),
    ])
    const [{ id }] = (await call(service, '/rejects')).json().rejects

    await call(service, `/rejects/${id}/repair`, 1, {
      payload: base64([at(0, 100), at(1, 2), at(2, 100)]),
    })

    assert.deepEqual(await readTemperatures(service), [2])
  })

  test('says what is still wrong, and keeps what was received', async () => {
    await using service = await withRejects([refusal(mqttOrigin('now'), 'site/wire/up', bad)])
    const before = (await call(service, '/rejects')).json()
    const repair = async (payload: string) => {
      const response = await call(service, `/rejects/${before.rejects[0].id}/repair`, 1, {
        payload,
      })
      return [response.status, response.json().message]
    }

    assert.deepEqual(await repair(base64({ ...good, ts: 'today' })), [
      400,
      'The reject could not be repaired: time must be a local date and time YYYY-MM-DD HH:mm:ss, an ISO 8601 instant or epoch milliseconds.',
    ])
    const [status, sentence] = await repair('no Base64')
    assert.equal(status, 400)
    assert.match(String(sentence), /payload/)
    assert.deepEqual((await call(service, '/rejects')).json(), before)
  })
})

describe('dropRejects', () => {
  test('deletes what is named, and nothing else', async () => {
    await using service = await withRejects([
      refusal(mqttOrigin('now'), 'a', ''),
      refusal(mqttOrigin('now'), 'b', ''),
    ])
    const [newest] = (await call(service, '/rejects')).json().rejects

    const response = await call(service, '/rejects/drop', 1, { ids: [newest.id, 12_345] })

    assert.deepEqual(response.json(), { removed: 1 })
    const left = (await call(service, '/rejects')).json().rejects
    assert.deepEqual(
      left.map(({ place }: any) => place),
      ['a'],
    )
  })
})
