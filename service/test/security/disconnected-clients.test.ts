import assert from 'node:assert/strict'
import { once } from 'node:events'
import { describe, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { connect, type TLSSocket } from 'node:tls'
import { eventually } from '../_eventually.ts'
import { withService, type TestService } from '../_service.ts'
import { BROKER_ORIGIN } from '../../src/domain/rejects/reject-origin.ts'
import { SITE } from '../_site.ts'

/** A connection that reads no response. */
function dial({ service, certificate }: TestService): Promise<TLSSocket> {
  const { promise, resolve, reject } = Promise.withResolvers<TLSSocket>()
  const port = Number(new URL(service.origin).port)
  const socket = connect({ port, host: 'localhost', ca: certificate }, () => resolve(socket))
  socket.once('error', reject)
  socket.on('error', () => {})
  return promise
}

const post = (path: string, authorization: string, body: string): string =>
  `POST ${path} HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${authorization}\r\n` +
  `Content-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`

const eventsOf = ({ logged }: TestService): string[] =>
  logged.flatMap((line) => (JSON.parse(line) as { event?: string }).event ?? [])

describe('a client that leaves before its response', () => {
  test('leaves room for the large bodies of others', async () => {
    await using service = await withService({
      site: SITE,
      settings: { 'access.failuresPerMinute': 1 },
    })
    const key = await service.createKey()
    const wrong = post('/ingest/v1/theme', 'wrong', '')
    const body = 'm,a=b v=1 1700000000\n'.repeat(20_000)
    // The first response is blocked, and the second request is refused after its body was read.
    for (let count = 0; count < 3; count++) (await dial(service)).end(wrong)
    await sleep(200)
    const socket = await dial(service)
    socket.write(wrong + post('/ingest/v1/influx?precision=bogus', key, body))
    await sleep(400)
    socket.destroy()

    const records = Array.from({ length: 9_000 }, (_, at) => ({ at, filler: 'a'.repeat(20) }))
    const response = await Promise.race([
      service.ingest('theme', key, { records }).then(({ status }) => status),
      sleep(20_000, 'no answer', { ref: false }),
    ])

    assert.equal(response, 200)
  })

  test('has its management write in the security events', async () => {
    await using service = await withService({ site: SITE })
    const token = await service.issueToken(1)
    const deletion = {
      station: 1001,
      startTime: '2026-03-01 00:00:00',
      endTime: '2026-03-01 01:00:00',
      dryRun: true,
    }

    const socket = await dial(service)
    socket.write(post('/manage/v1/records/delete', token, JSON.stringify(deletion)), () =>
      socket.destroy(),
    )

    await eventually(async () => assert.ok(eventsOf(service).includes('security.write')))
  })
})

const WAVE = 'collectTime=2026-03-01+12:00:00'
const YEAR = 'startTime=2024-01-01+00:00:00&endTime=2025-01-01+00:00:00'
const LONG_RESPONSES = [
  `/api/v1/stations/theme/data?stations=1001&${YEAR}`,
  `/manage/v1/series?stations=1001&${YEAR}`,
  `/api/v1/stations/1031/vibration/raw?${WAVE}`,
  `/api/v1/stations/1031/vibration/fft?${WAVE}`,
  '/manage/v1/stations/1031/vibration/psd?segment=20001',
  '/manage/v1/stations/1031/vibration/integrated?to=velocity&low=1',
  '/openapi.json',
]

test('clients that leave before or in the middle of their response are no error in the log', async () => {
  await using service = await withService({
    site: SITE,
    settings: { 'vibration.cacheMegabytes': 0 },
  })
  const token = await service.issueToken(1)
  const key = await service.createKey()
  const samples = Array.from({ length: 40_001 }, (_, n) => Math.sin(n))
  const waveform = { collectTime: '2026-03-01 12:00:00', sampleFreq: 100, unit: 'cm/s2', samples }
  await service.ingest('vibration', key, { station: 1031, ...waveform })
  const times = Array.from({ length: 60_000 }, (_, at) => Date.UTC(2024, 0, 1) + at * 60_000)
  const records = times.map((time) => `{"strain":${time % 997},"time":"2024-01-01 00:00:00"}`)
  await service.storage.records.write({ theme: { sources: times.map(() => 1001), times, records } })
  const before = service.logged.length

  for (const path of LONG_RESPONSES)
    for (const encoding of ['gzip', 'identity'])
      for (const isInTheMiddle of [false, true]) {
        const socket = await dial(service)
        const head = `GET ${path} HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${token}\r\n`
        const taken = `Accept-Encoding: ${encoding}\r\n\r\n`
        await new Promise((resolve) => socket.write(head + taken, resolve))
        if (isInTheMiddle) await once(socket, 'data')
        socket.destroy()
      }
  await eventually(() => {
    const responded = service.logged
      .slice(before)
      .filter((line) => line.includes('"request completed"'))
    assert.ok(responded.length >= 2 * LONG_RESPONSES.length)
  })
  assert.equal((await service.get('/structures', token)).status, 200)

  assert.deepEqual(
    service.logged.slice(before).filter((line) => /"level":[456]0|"stack"/.test(line)),
    [],
  )
})

describe('a long request', () => {
  test('does not block others: recomputing centuries', async () => {
    await using service = await withService({ site: SITE })
    const token = await service.issueToken(1)
    const structures = JSON.parse((await service.get('/structures', token)).text) as unknown[]
    const window = { startTime: '1026-01-01 00:00:00', endTime: '2026-01-01 00:00:00' }
    const [{ id }] = structures as [{ id: number }]
    const socket = await dial(service)
    let isOver = false
    socket.on('data', () => (isOver = true))
    socket.write(post(`/manage/v1/structures/${id}/recompute`, token, JSON.stringify(window)))
    await sleep(100)

    const { status } = await service.get('/structures', token)

    assert.deepEqual([status, isOver], [200, false])
    socket.destroy()
  })

  test('does not block others: a body of blank lines, which is limited', async () => {
    await using service = await withService({ site: SITE })
    const key = await service.createKey()
    const send = (lines: number) =>
      service.call('/ingest/v1/theme', {
        method: 'POST',
        headers: { authorization: `Bearer ${key}`, 'content-type': 'application/x-ndjson' },
        body: '\n'.repeat(lines),
      })

    const [some, tooMany] = [await send(300_000), await send(1_000_001)]

    assert.equal(some.status, 200)
    assert.equal(tooMany.status, 400)
    assert.match(
      tooMany.json().message,
      /the body has more than 1000000 lines, blank ones included/,
    )
  })
})

test('a page of rejects ends where its payloads reach some megabytes, and the next one continues', async () => {
  await using service = await withService({ site: SITE })
  const refusal = { ...BROKER_ORIGIN, place: 'site/up', reason: 'wrong', receivedAt: 0 }
  const payload = Buffer.alloc(2 ** 20)
  for (let count = 0; count < 20; count++)
    await service.storage.rejects.add([{ ...refusal, payload }], { records: 100 })
  const token = await service.issueToken(1)
  const list = async (query: string) =>
    (
      await service.call(`/manage/v1/rejects${query}`, {
        headers: { authorization: `Bearer ${token}` },
      })
    ).json().rejects as { id: number }[]

  const seen: number[] = []
  for (let page = await list(''); page.length > 0; page = await list(`?before=${seen.at(-1)}`)) {
    assert.ok(page.length <= 8)
    seen.push(...page.map(({ id }) => id))
  }

  assert.equal(seen.length, 20)
  assert.deepEqual(
    seen,
    seen.toSorted((a, b) => b - a),
  )
})
