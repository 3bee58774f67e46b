import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createClient, createIngestClient } from '../src/index.ts'
import { startServer } from './_server.ts'

const token = '5f0c8f5e-6d3e-4d53-9a2c-0a4c9f6c1d10'
const echo = () => startServer(() => ({ body: [] }))

test('a blank in a time is written +, stations are joined by commas', async () => {
  await using server = await echo()
  const client = createClient({ baseUrl: server.baseUrl, token })

  await client.getThemeData({
    stations: [52093, 52094],
    startTime: '2026-03-01 00:00:00',
    endTime: '2026-03-01 12:00:00',
    limit: 5,
  })

  const url = new URL(server.seen[0]!.url, server.baseUrl)
  assert.equal(url.pathname, '/api/v1/stations/theme/data')
  assert.match(url.search, /startTime=2026-03-01\+00%3A00%3A00/)
  assert.deepEqual(Object.fromEntries(url.searchParams), {
    stations: '52093,52094',
    startTime: '2026-03-01 00:00:00',
    endTime: '2026-03-01 12:00:00',
    limit: '5',
  })
})

test('stations may be a text, or none at all', async () => {
  await using server = await echo()
  const client = createClient({ baseUrl: server.baseUrl, token })

  await client.getThemeData({ stations: '1,2' })
  await client.getThemeData({ stations: [] })

  const paths = server.seen.map(({ url }) => url.replace('/api/v1/stations/theme/data', ''))
  assert.deepEqual(paths, ['?stations=1%2C2', '?stations='])
})

test('the token goes into the header, never into the address', async () => {
  await using server = await echo()
  const client = createClient({ baseUrl: `${server.baseUrl}/`, token })

  await client.listStructures()

  assert.equal(server.seen[0]!.url, '/api/v1/structures')
  assert.equal(server.seen[0]!.authorization, `Bearer ${token}`)
})

test('what is undefined is left out, false is sent', async () => {
  await using server = await echo()
  const client = createClient({ baseUrl: server.baseUrl, token })

  await client.listStations({ structureId: 3040, factorId: undefined })
  await client.listFactors({ structureId: 3040, display: true })
  await client.getTrafficFlow({
    structureId: 3040,
    startTime: '2026-03-01 00:00:00',
    endTime: '2026-03-02 00:00:00',
    overload: false,
    license: 'B 7&',
  })

  assert.deepEqual(
    server.seen.map(({ url }) => url.replace('/api/v1/structures/3040', '')),
    [
      '/stations',
      '/factors?display=true',
      '/traffic-flow?startTime=2026-03-01+00%3A00%3A00&endTime=2026-03-02+00%3A00%3A00' +
        '&overload=false&license=B+7%26',
    ],
  )
})

test('a POST divides its input into path, query string and body', async () => {
  await using server = await echo()
  const client = createClient({ baseUrl: server.baseUrl, token })

  await client.getStationsData({
    structureId: 3040,
    factorId: 15,
    startTime: '2026-03-01 00:00:00',
    endTime: '2026-03-01 01:00:00',
    stations: [52093],
  })
  await client.listAlarms({ userId: 1, limit: 5, structures: [3040], status: 'new' })

  const [data, alarms] = server.seen
  assert.equal(
    data!.url,
    '/api/v1/structures/3040/factors/15/stations/data' +
      '?startTime=2026-03-01+00%3A00%3A00&endTime=2026-03-01+01%3A00%3A00',
  )
  assert.deepEqual(JSON.parse(data!.body), { stations: [52093] })
  assert.equal(data!.contentType, 'application/json')
  assert.equal(alarms!.url, '/api/v1/users/1/alarms?limit=5')
  assert.deepEqual(JSON.parse(alarms!.body), { structures: [3040], status: 'new' })
})

test('a path parameter that is missing is named before anything is sent', async () => {
  await using server = await echo()
  const client = createClient({ baseUrl: server.baseUrl, token })

  await assert.rejects(client.listFactors({} as { structureId: number }), {
    name: 'TypeError',
    message: /^structureId must be/,
  })
  assert.equal(server.seen.length, 0)
})

test('an ingest client sends its key and the records as they are', async () => {
  const report = { accepted: 1, replaced: 0, rejected: [] }
  await using server = await startServer(() => ({ body: report }))
  const client = createIngestClient({ baseUrl: server.baseUrl, key: 'k1' })
  const records = [{ station: 52093, time: '2026-03-01 12:00:00', values: { strain: 12.5 } }]

  const response = await client.ingestTheme({ records })

  assert.deepEqual(response, report)
  assert.equal(server.seen[0]!.url, '/ingest/v1/theme')
  assert.equal(server.seen[0]!.authorization, 'Bearer k1')
  assert.deepEqual(JSON.parse(server.seen[0]!.body), { records })
})

test('management is below its own base address, with the token of the interface', async () => {
  const body = { points: 500, stations: [] }
  await using server = await startServer(() => ({ body }))
  const client = createClient({ baseUrl: server.baseUrl, token })

  const response = await client.getSeries({
    stations: [52093, 52094],
    startTime: '2026-03-01 00:00:00',
    endTime: '2026-03-02 00:00:00',
    points: 500,
  })

  assert.deepEqual(response, body)
  assert.equal(
    server.seen[0]!.url,
    '/manage/v1/series?stations=52093%2C52094&startTime=2026-03-01+00%3A00%3A00' +
      '&endTime=2026-03-02+00%3A00%3A00&points=500',
  )
  assert.equal(server.seen[0]!.authorization, `Bearer ${token}`)
})

test('events of a stream are read one by one, across the parts in which they arrive', async () => {
  const stream = [
    'id: 1\n\nevent: newest\ndata: {"type":"newest","structureId":1,"stati',
    'onIds":[7]}\n',
    '\n:\n\nevent: reset\nid: 9\ndata: {"type":"reset","id":"9"}\n\n',
  ]
  const fetch = async () =>
    new Response(ReadableStream.from(stream.map((part) => new TextEncoder().encode(part))), {
      headers: { 'content-type': 'text/event-stream' },
    })
  const client = createClient({ baseUrl: 'https://x', token: 't', fetch })

  const events = await Array.fromAsync(await client.streamEvents())

  assert.deepEqual(events, [
    { type: 'newest', structureId: 1, stationIds: [7] },
    { type: 'reset', id: '9' },
  ])
})
