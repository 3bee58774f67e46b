import assert from 'node:assert/strict'
import { once } from 'node:events'
import { request } from 'node:https'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { gzipSync } from 'node:zlib'
import { withService, type TestService } from '../_service.ts'
import { IDS, SITE } from '../_site.ts'

const RECORDS = 8_000
const START = Date.UTC(2026, 0, 1)

const LINES = Array.from(
  { length: RECORDS },
  (_, at) =>
    `{"sensor":"${IDS.gauge}","time":${START + at * 1000},"values":{"reading":${at}},"padding":"${'x'.repeat(10)}"}`,
).join('\n')

/** A client that takes the memory for bodies until it is disposed of: it announces a body and does not send it. */
async function takeMemory(service: TestService, key: string): Promise<Disposable> {
  const client = request(`${service.service.origin}/ingest/v1/theme`, {
    ca: service.certificate,
    method: 'POST',
    headers: {
      authorization: `Bearer ${key}`,
      'content-type': 'application/json',
      'content-length': '1048576',
    },
  })
  client.on('error', () => {})
  client.write('{')
  await once(client, 'socket')
  await sleep(200)
  return { [Symbol.dispose]: () => void client.destroy() }
}

for (const encoding of ['identity', 'gzip'])
  test(`a body that waits for memory is stored whole (${encoding})`, async () => {
    await using service = await withService({
      site: SITE,
      settings: { 'http.maxBodyMegabytes': 1, 'http.bodyBudgetMegabytes': 1 },
    })
    const key = await service.createKey()
    const taken = await takeMemory(service, key)

    const stored = service.call('/ingest/v1/raw', {
      method: 'POST',
      headers: {
        authorization: `Bearer ${key}`,
        'content-type': 'application/x-ndjson',
        'content-encoding': encoding,
      },
      body: encoding === 'gzip' ? gzipSync(LINES) : LINES,
    })
    await sleep(500)
    taken[Symbol.dispose]()
    const response = await stored

    assert.deepEqual(
      [response.status, response.json()],
      [200, { accepted: RECORDS, replaced: 0, rejected: [] }],
    )
  })
