import assert from 'node:assert/strict'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import test from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { startChild } from '../_child.ts'
import type { Answer } from '../_service.ts'
import { until } from './_raw.ts'
import { compileShim } from './_shim.ts'
import { makeDataFolder } from './_site.ts'
import { NO_DAMAGE, Workload } from './_workload.ts'

const ATTEMPTS = 200

test('a full disk: writers get 503, readers go on, and it heals without a restart', async (t) => {
  await using data = await makeDataFolder()
  const scratch = await mkdtemp(join(tmpdir(), 'plumbline-full-'))
  t.after(() => rm(scratch, { recursive: true, force: true }))
  const flag = join(scratch, 'full')
  await using child = await startChild(data.folder, {
    LD_PRELOAD: await compileShim('disk-full', scratch),
    FULL_FOLDER: data.folder,
    FULL_FLAG: flag,
  })
  const workload = new Workload()
  const writeUntil = async (isWanted: (answers: Answer[]) => boolean): Promise<Answer[]> => {
    for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
      const answers = await workload.writeOnce(child)
      if (isWanted(answers)) return answers
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

    const refused = await writeUntil((answers) => answers.every(({ status }) => status === 503))
    for (const { headers, json } of refused) {
      assert.match(String(headers['retry-after']), /^[1-9]\d*$/)
      assert.deepEqual(json(), {
        name: 'Unavailable',
        message: 'Nothing can be stored at the moment: the disk is full.',
      })
    }
    assert.deepEqual(await workload.verify(child), NO_DAMAGE)
    const ready = await child.askOps('/health/ready')
    assert.equal(ready.status, 503)
    assert.match(ready.text, /the disk is full/)
    assert.equal((await child.askOps('/health/live')).status, 200)

    await rm(flag)
    const stored = await workload.writeOnce(child)
    assert.deepEqual(
      stored.map(({ status }) => status),
      stored.map(() => 200),
    )
    const isReady = async () => (await child.askOps('/health/ready')).status === 200
    assert.ok(await until(isReady, 8))
    assert.deepEqual(await workload.verify(child), NO_DAMAGE)
  }

  assert.deepEqual([...workload.statuses.keys()].toSorted(), [200, 503])
  await child.kill()
  await using again = await startChild(data.folder)
  assert.deepEqual(await workload.verify(again), NO_DAMAGE)
})
