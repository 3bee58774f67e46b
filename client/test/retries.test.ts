import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createClient, createIngestClient, type PlumblineError } from '../src/index.ts'
import { startServer } from './_server.ts'

const UNAVAILABLE = { status: 503, body: { name: 'Unavailable', message: 'The disk is full.' } }
const report = { accepted: 1, replaced: 0, rejected: [] }

/** A server that answers 503 the first times. */
function startBusyServer(times: number, body: unknown) {
  let refused = 0
  return startServer(() => (refused++ < times ? UNAVAILABLE : { body }))
}

test('a GET, and records, are sent again after a 503', async () => {
  await using server = await startBusyServer(1, [])
  await using intake = await startBusyServer(1, report)
  const client = createClient({ baseUrl: server.baseUrl, token: 't' })
  const ingest = createIngestClient({ baseUrl: intake.baseUrl, key: 'k' })

  assert.deepEqual(await client.listStructures(), [])
  assert.deepEqual(await ingest.ingestTheme({ records: [] }), report)

  assert.equal(server.seen.length, 2)
  assert.equal(intake.seen.length, 2)
})

test('what changes something is sent once, and everything is with retries: 0', async () => {
  await using server = await startBusyServer(9, [])
  const client = createClient({ baseUrl: server.baseUrl, token: 't' })
  const ingest = createIngestClient({ baseUrl: server.baseUrl, key: 'k', retries: 0 })

  await assert.rejects(client.confirmAlarm({ alarmId: 1, comment: 'seen' }), { status: 503 })
  await assert.rejects(client.listStructures({}, { retries: 0 }), { status: 503 })
  await assert.rejects(ingest.ingestTheme({ records: [] }), { status: 503 })
  await assert.rejects(ingest.ingestPoints({ lines: 'm v=1' }, { retries: 4 }), { status: 503 })

  assert.equal(server.seen.length, 4)
})

test('a call that takes longer than its timeout fails with the kind timeout', async () => {
  await using server = await startServer(() => undefined)
  const client = createClient({ baseUrl: server.baseUrl, token: 't', timeoutMilliseconds: 50 })

  const expected = { name: 'TimeoutError', kind: 'timeout', status: undefined, message: /50 ms/ }
  await assert.rejects(client.listStructures(), expected)
})

test('a connection that fails has the kind network, its reason and its cause, but no path', async () => {
  const { baseUrl } = await (async () => {
    await using server = await startServer(() => undefined)
    return server
  })()
  const client = createClient({ baseUrl, token: 't', retries: 0 })

  await assert.rejects(client.listStations({ structureId: 7 }), (error: PlumblineError) => {
    assert.equal(error.kind, 'network')
    assert.match(error.message, /^http:\/\/127\.0\.0\.1:\d+ sent no whole response: .*ECONNREFUSED/)
    assert.doesNotMatch(error.message, /structures/)
    assert.ok(error.cause instanceof TypeError)
    return true
  })
})

test('without a token none is sent, and fetch gets the credentials that it is to use', async () => {
  const inits: (RequestInit | undefined)[] = []
  const client = createClient({
    credentials: 'same-origin',
    fetch: async (url, init) => {
      inits.push(init)
      return Response.json([String(url)])
    },
  })

  assert.deepEqual(await client.listStructures(), ['/api/v1/structures'])
  assert.deepEqual(inits, [{ method: 'GET', headers: {}, credentials: 'same-origin' }])
})

test('a range is read through the interface, window after window', async () => {
  await using server = await startServer(({ url }) => {
    const { searchParams } = new URL(url, 'http://x')
    const time = searchParams.get('startTime')
    return { body: { items: {}, stations: [{ id: 7, name: 'S', data: [{ strain: 1, time }] }] } }
  })
  const client = createClient({ baseUrl: server.baseUrl, token: 't', timeZone: 'Asia/Shanghai' })
  const range = {
    startTime: Temporal.Instant.from('2026-02-28T16:00:00Z'),
    endTime: '2026-03-01 23:59:59',
  }

  const [first, second, ...rest] = await Array.fromAsync(
    client.eachThemeRecord({ stations: [7], ...range }),
  )

  assert.deepEqual(first, {
    stationId: 7,
    stationName: 'S',
    time: '2026-03-01 00:00:00',
    values: { strain: 1 },
  })
  assert.equal(second?.time, '2026-03-01 01:00:01')
  assert.equal(rest.length, server.seen.length - 2)
})
