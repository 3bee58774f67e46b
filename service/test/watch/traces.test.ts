import assert from 'node:assert/strict'
import { mkdtemp, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { BASE, CELL, derivedSite, POINT } from '../_derived-site.ts'
import { eventually } from '../_eventually.ts'
import { freePort, withService } from '../_service.ts'
import { IDS, SITE } from '../_site.ts'
import { TraceReceiver, type ReceivedSpan } from './_trace-receiver.ts'

const PLATE = 'DEMO-4711'
const PARENT = { trace: '4bf92f3577b34da6a3ce929d0e0e4736', span: '00f067aa0ba902b7' }
const TRACEPARENT = `00-${PARENT.trace}-${PARENT.span}-01`

/** Spans delay a stop by a second at most; without that limit the hanging receiver costs over two. */
const LONGEST_STOP_MILLISECONDS = 1_900

const record = () => ({ station: 1002, time: Date.now(), values: { strain: 1 } })

const withTraces = (url: string, settings = {}) =>
  withService({
    site: SITE,
    settings: { 'traces.url': url, 'traces.sampleShare': 1, ...settings },
  })

const find = (spans: readonly ReceivedSpan[], name: string): ReceivedSpan => {
  const found = spans.find((span) => span.name === name)
  assert.ok(found, `${name} is missing in ${spans.map((span) => span.name).join(', ')}`)
  return found
}

describe('traces', () => {
  test('show a request with its commit and its write, and nothing that was sent', async () => {
    await using receiver = await TraceReceiver.start(200)
    let token: string
    let key: string
    {
      await using service = await withTraces(receiver.url)
      token = await service.issueToken()
      key = await service.createKey()
      const sent = await service.ingest('theme', key, { records: [record()] })
      assert.deepEqual(sent.json().rejected, [])
      await service.get(`/structures/1/traffic-flow?license=${PLATE}`, token)
      await service.get(`/stations/theme/data?stations=${IDS.strain}&limit=1`, token)
      await service.get(`/nothing/${PLATE}`, token)
    }

    for (const key of ['service.version', 'service.instance.id', 'host.name'])
      assert.match(
        receiver.bodies[0] ?? '',
        new RegExp(`"key":"${key}","value":\\{"stringValue":"\\S`),
      )
    const ingest = find(receiver.spans, 'POST /ingest/v1/theme')
    const commit = find(receiver.spans, 'commit of records')
    const write = find(receiver.spans, 'database write')
    assert.deepEqual(ingest.attributes, {
      'http.request.method': 'POST',
      'http.route': '/ingest/v1/theme',
      'http.response.status_code': 200,
    })
    assert.deepEqual(
      [ingest.parentSpanId, commit.parentSpanId, write.parentSpanId],
      [undefined, ingest.spanId, commit.spanId],
    )
    assert.equal(new Set([ingest.traceId, commit.traceId, write.traceId]).size, 1)
    find(receiver.spans, 'GET /api/v1/structures/:structureId/traffic-flow')
    find(receiver.spans, 'GET /api/v1/stations/theme/data')
    find(receiver.spans, 'GET none')
    for (const secret of [token, key, PLATE])
      assert.ok(receiver.bodies.every((body) => !body.includes(secret)))
  })

  test('show derivation, deliveries with their channel and failure, and sealing', async () => {
    await using receiver = await TraceReceiver.start(200)
    {
      await using service = await withService({
        site: derivedSite(2),
        deliveryPollMilliseconds: 10,
        firstSealingMilliseconds: 10,
        settings: {
          'traces.url': receiver.url,
          'traces.sampleShare': 1,
          'notifications.webhooks': [{ name: 'duty', url: 'https://localhost:1/', secret: 'key' }],
          'notifications.rules': [{ name: 'all', to: ['duty'] }],
        },
      })
      const key = await service.createKey()
      const sent = await service.ingest('raw', key, {
        records: [
          { sensor: CELL, time: Date.now(), values: { v: 500 } },
          { sensor: BASE, time: Date.now(), values: { v: 1 } },
          { sensor: POINT, time: Date.now(), values: { v: 2 } },
        ],
      })
      assert.deepEqual(sent.json().rejected, [])
      await eventually(() => assert.match(service.logged.join(''), /channel duty: .* waits until/))
    }

    const ingest = find(receiver.spans, 'POST /ingest/v1/raw')
    const derivation = find(receiver.spans, 'derivation')
    const delivery = find(receiver.spans, 'notification delivery')
    assert.equal(derivation.traceId, ingest.traceId)
    assert.deepEqual(delivery.attributes, { channel: 'duty', 'error.type': 'SendError' })
    assert.equal(delivery.status.code, 2)
    find(receiver.spans, 'sealing')
  })

  test('a part of the requests is traced, by the setting', async () => {
    await using receiver = await TraceReceiver.start(200)
    {
      await using service = await withTraces(receiver.url, { 'traces.sampleShare': 0.000_001 })
      for (let at = 0; at < 20; at++) await service.call('/')
    }

    assert.deepEqual(receiver.spans, [])
  })

  test('the trace of a request is that of a trusted proxy, and of nobody else', async () => {
    for (const proxies of [[], ['127.0.0.1']]) {
      await using receiver = await TraceReceiver.start(200)
      {
        await using service = await withTraces(receiver.url, { 'http.trustedProxies': proxies })
        await service.call('/', { headers: { traceparent: TRACEPARENT } })
      }

      const { traceId, parentSpanId } = find(receiver.spans, 'GET /')
      const isTrusted = proxies.length > 0
      assert.equal(traceId === PARENT.trace, isTrusted)
      assert.equal(parentSpanId, isTrusted ? PARENT.span : undefined)
    }
  })

  test('the receiver gets the header of the file, which no log has', async () => {
    const file = join(await mkdtemp(join(tmpdir(), 'plumbline-header-')), 'header')
    await writeFile(file, 'Authorization: Bearer tr-secret\n')
    await using receiver = await TraceReceiver.start(401)
    let lines: string[]
    {
      await using service = await withTraces(receiver.url, { 'traces.headerFile': file })
      lines = service.logged
      await service.call('/')
    }

    assert.equal(receiver.headers[0]?.authorization, 'Bearer tr-secret')
    const logged = lines.join('')
    assert.match(logged, /Traces could not be sent \(status 401\); their spans are lost\./)
    assert.ok(!logged.includes('tr-secret'))
  })

  test('workers trace what they answer, and the first process what they pass on', async () => {
    await using receiver = await TraceReceiver.start(200)
    {
      await using service = await withTraces(receiver.url, { 'http.workers': 2 })
      const token = await service.issueToken()
      for (let at = 0; at < 4; at++) await service.get('/structures', token)
    }

    const names = receiver.spans.map(({ name }) => name)
    assert.equal(names.filter((name) => name === 'GET /api/v1/structures').length, 4)
    assert.equal(names.filter((name) => name === 'POST /api/v1/oauth2/token').length, 1)
  })

  test('a receiver that hangs, refuses or is away costs no request and no stop', async () => {
    await using hanging = await TraceReceiver.start()
    await using refusing = await TraceReceiver.start(503)
    const away = `http://127.0.0.1:${await freePort()}/v1/traces`
    for (const url of [hanging.url, refusing.url, away]) {
      await using service = await withTraces(url)
      const key = await service.createKey()
      for (let at = 0; at < 30; at++)
        assert.equal((await service.ingest('theme', key, { records: [record()] })).status, 200)

      const start = performance.now()
      await service[Symbol.asyncDispose]()

      const took = performance.now() - start
      assert.ok(took < LONGEST_STOP_MILLISECONDS, `stopping took ${took} ms with ${url}`)
    }
  })

  test('settings that would send the header in clear text are refused', async () => {
    await assert.rejects(
      withTraces('http://traces.example/v1/traces', { 'traces.headerFile': '/header' }),
      /traces\.url must begin with https:\/\/ where traces\.headerFile is set/,
    )
  })

  test('a file without a header is refused by name', async () => {
    const file = join(await mkdtemp(join(tmpdir(), 'plumbline-header-')), 'header')
    await writeFile(file, 'tr-secret\n')

    await assert.rejects(
      withTraces('http://localhost:1/v1/traces', { 'traces.headerFile': file }),
      (error: Error) =>
        error.message === `traces.headerFile: ${file} has no header, such as "Name: value"`,
    )
  })
})
