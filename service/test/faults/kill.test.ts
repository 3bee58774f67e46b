import assert from 'node:assert/strict'
import test from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { startChild } from '../_child.ts'
import { eventually } from '../_eventually.ts'
import { randomNumbers, runs } from '../_random.ts'
import { makeDataFolder } from './_site.ts'
import { NO_DAMAGE, Workload } from './_workload.ts'

const KILLS = runs(50, 4)

test(`${KILLS} kills during ingest: nothing acknowledged is lost, doubled or half stored`, async (t) => {
  await using data = await makeDataFolder()
  const workload = new Workload()
  const random = randomNumbers()

  for (let round = 0; round < KILLS; round++) {
    await using child = await startChild(data.folder)
    assert.deepEqual(await workload.verify(child), NO_DAMAGE, `after ${round} kills`)
    const stop = new AbortController()
    const writing = workload.write(child, stop.signal)

    // On a slow machine each kill might come before the first batch of its round is stored.
    if (round === 0) await eventually(() => assert.ok(workload.acknowledged > 0))
    await sleep(20 + random() * 500)
    await child.kill()
    stop.abort()
    await writing
  }

  await using child = await startChild(data.folder)
  assert.deepEqual(await workload.verify(child), NO_DAMAGE)
  assert.deepEqual([...workload.statuses.keys()], [200])
  t.diagnostic(`${workload.statuses.get(200)} batches, ${workload.acknowledged} records stand`)
  assert.ok(workload.acknowledged > 0)
})
