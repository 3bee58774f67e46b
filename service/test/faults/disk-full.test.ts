import assert from 'node:assert/strict'
import { mkdtemp, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import test, { type TestContext } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { startChild, type Child } from '../_child.ts'
import { callHttps, type HttpResponse } from '../_service.ts'
import { until } from './_raw.ts'
import { compileShim } from './_shim.ts'
import { KEY, makeDataFolder } from './_site.ts'
import { NO_DAMAGE, Workload } from './_workload.ts'

const ATTEMPTS = 200

/** A service whose disk is full while the file `flag` exists. */
async function startOnSmallDisk(folder: string, t: TestContext) {
  const scratch = await mkdtemp(join(tmpdir(), 'plumbline-full-'))
  t.after(() => rm(scratch, { recursive: true, force: true }))
  const flag = join(scratch, 'full')
  const child = await startChild(folder, {
    LD_PRELOAD: await compileShim('disk-full', scratch),
    FULL_FOLDER: folder,
    FULL_FLAG: flag,
    // Large enough for a waveform that does not fit into the log.
    PLUMBLINE_HTTP_MAX_JSON_MEMBERS: '10000000',
  })
  return { child, flag }
}

const isReady = async (child: Child): Promise<boolean> =>
  (await child.getOps('/health/ready')).status === 200

test('a full disk: writers get 503, readers are served, and it recovers without a restart', async (t) => {
  await using data = await makeDataFolder()
  const { child: started, flag } = await startOnSmallDisk(data.folder, t)
  await using child = started
  const workload = new Workload()
  const writeUntil = async (
    isWanted: (responses: HttpResponse[]) => boolean,
  ): Promise<HttpResponse[]> => {
    for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
      const responses = await workload.writeOnce(child)
      if (isWanted(responses)) return responses
    }
    throw new Error(`not seen in ${ATTEMPTS} attempts`)
  }

  for (let round = 0; round < 2; round++) {
    const stop = new AbortController()
    const writing = workload.write(child, stop.signal)
    await sleep(300)
    // It fills up in the middle of writing.
    await writeFile(flag, '')
    await sleep(300)
    stop.abort()
    await writing

    const refused = await writeUntil((responses) => responses.every(({ status }) => status === 503))
    for (const { headers, json } of refused) {
      assert.match(String(headers['retry-after']), /^[1-9]\d*$/)
      assert.deepEqual(json(), {
        name: 'Unavailable',
        message: 'Nothing can be stored at the moment: the disk is full.',
      })
    }
    assert.deepEqual(await workload.verify(child), NO_DAMAGE)
    const ready = await child.getOps('/health/ready')
    assert.equal(ready.status, 503)
    assert.match(ready.text, /the disk is full/)
    assert.equal((await child.getOps('/health/live')).status, 200)

    await rm(flag)
    const stored = await workload.writeOnce(child)
    assert.deepEqual(
      stored.map(({ status }) => status),
      stored.map(() => 200),
    )
    assert.ok(await until(() => isReady(child), 8))
    assert.deepEqual(await workload.verify(child), NO_DAMAGE)
  }

  assert.deepEqual([...workload.statuses.keys()].toSorted(), [200, 503])
  await child.kill()
  await using again = await startChild(data.folder)
  assert.deepEqual(await workload.verify(again), NO_DAMAGE)
})

test('the service is not ready while record batches are refused, though small writes still fit in the log', async (t) => {
  await using data = await makeDataFolder()
  const { child: started, flag } = await startOnSmallDisk(data.folder, t)
  await using child = started
  const headers = { 'content-type': 'application/json', authorization: `Bearer ${KEY}` }
  const write = async (samples: number): Promise<number> => {
    const body = `{"station":1,"collectTime":"2024-01-01 00:00:00","sampleFreq":1,"unit":"","samples":[0.1${',0.1'.repeat(samples - 1)}]}`
    const url = `${child.origin}/ingest/v1/vibration`
    return (await callHttps(url, child.certificate, { method: 'POST', headers, body })).status
  }
  const logSize = async (): Promise<number> =>
    (await stat(join(data.folder, 'plumbline.db-wal'))).size
  // Until the log was folded back and is written from its start again: there is room in it then.
  for (let size = -1; size < (await logSize());) {
    assert.equal(await write(2_500_000), 200)
    size = await logSize()
    assert.equal(await write(1), 200)
  }
  await writeFile(flag, '')

  assert.equal(await write(6_000_000), 503)

  assert.equal(await write(1), 200)
  assert.equal(await isReady(child), false)
  await rm(flag)
  assert.ok(await until(() => isReady(child), 8))
})
