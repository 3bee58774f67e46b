import assert from 'node:assert/strict'
import { cp, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { hashSecret } from '../../src/domain/access/secret.ts'
import { createApplication } from '../../src/site/applications.ts'
import { runs } from '../_random.ts'
import { callHttps } from '../_service.ts'
import { SITE } from '../_site.ts'
import { readRecords } from '../storage/_place.ts'
import { Instances, postForm, type Instance } from './_instances.ts'
import { RoundRobin } from './_round-robin.ts'

const RESTARTS = runs(4, 2)
const WRITERS = 4
const READERS = 4
const EPOCH = Date.UTC(2026, 0, 1)
const KEY = 'plk_rolling'

/** Whether a connection ended before the client could send anything: it opens another one. */
const isUnopened = ({ message }: Error): boolean =>
  message.includes('before secure TLS connection was established')

/** Calls by another connection where one has ended while it was opened. */
async function call(...request: Parameters<typeof callHttps>): ReturnType<typeof callHttps> {
  try {
    return await callHttps(...request)
  } catch (error) {
    if (error instanceof Error && isUnopened(error)) return callHttps(...request)
    throw error
  }
}

const portOf = ({ origin }: Instance): number => Number(new URL(origin).port)

/** A minute of the site's time zone. */
const timeOf = (minute: number): string =>
  new Date(EPOCH + minute * 60_000).toISOString().slice(0, 19).replace('T', ' ')

test('clients of a load balancer see no failure while its instances are stopped and started in turn', async (t) => {
  await using instances = await Instances.open(SITE)
  const { storage } = instances
  await storage.ingestKeys.add('rolling', hashSecret(KEY), Date.now())
  const application = await createApplication(storage, { userId: 1, name: '', scope: 'read' })
  const first = await instances.start()
  // One certificate for all, as clients see one service.
  const folder = await mkdtemp(join(tmpdir(), 'plumbline-second-'))
  await cp(join(first.folder, 'tls'), join(folder, 'tls'), { recursive: true })
  const running = [first, await instances.start({}, folder)]
  await using balancer = await RoundRobin.open(running.map(portOf))
  const issued = await postForm(first, '/oauth2/token', application, {
    grant_type: 'client_credentials',
  })
  const { token } = issued.json<{ token: string }>()
  const base = `https://localhost:${balancer.port}`
  const stop = new AbortController()
  t.after(async () => {
    stop.abort()
    await rm(folder, { recursive: true, force: true })
  })
  const counts = { written: 0, read: 0 }
  const failures: string[] = []
  let phase = 'both'

  const write = async (writer: number): Promise<void> => {
    for (let at = writer; !stop.signal.aborted; at += WRITERS) {
      const records = [{ station: 2001, time: timeOf(at), values: { waterLevel: at } }]
      const sent = await call(`${base}/ingest/v1/theme`, first.certificate, {
        method: 'POST',
        headers: { authorization: `Bearer ${KEY}`, 'content-type': 'application/json' },
        body: JSON.stringify({ records }),
      }).catch((error: Error) => ({ status: 0, text: error.message }))
      if (sent.status === 200) counts.written++
      else failures.push(`${phase} write: ${sent.status} ${sent.text}`)
    }
  }
  const read = async (): Promise<void> => {
    const path = `/api/v1/stations/theme/data?stations=2001&startTime=${timeOf(0)}&endTime=${timeOf(9)}`
    while (!stop.signal.aborted) {
      const got = await call(`${base}${encodeURI(path)}`, first.certificate, {
        headers: { authorization: `Bearer ${token}` },
      }).catch((error: Error) => ({ status: 0, text: error.message }))
      if (got.status === 200) counts.read++
      else failures.push(`${phase} read: ${got.status} ${got.text}`)
    }
  }
  const clients = [
    ...Array.from({ length: WRITERS }, (_, at) => write(at)),
    ...Array.from({ length: READERS }, () => read()),
  ]

  for (let at = 0; at < RESTARTS; at++) {
    await sleep(500)
    const old = running[at % 2]!
    phase = 'stopping'
    await old.stop()
    phase = 'starting'
    const before = counts.written
    const fresh = await instances.start({}, old.folder)
    assert.ok(counts.written > before, 'the other instance took nothing meanwhile')
    balancer.replace(portOf(old), portOf(fresh))
    running[at % 2] = fresh
    phase = 'both'
  }
  await sleep(500)
  stop.abort()
  await Promise.all(clients)

  t.diagnostic(`${counts.written} writes, ${counts.read} reads, ${RESTARTS} restarts`)
  assert.deepEqual(failures, [])
  assert.equal((await readRecords(storage, { source: 2001 })).length, counts.written)
})
