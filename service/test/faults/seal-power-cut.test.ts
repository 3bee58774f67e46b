import assert from 'node:assert/strict'
import test from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Child } from '../_child.ts'
import { randomNumbers, runs } from '../_random.ts'
import { withForgetfulDisk } from './_volatile-disk.ts'
import { BY_HAND, countSealed, runDoctor, SealingLoop } from './_sealing.ts'
import { makeDataFolder } from './_site.ts'
import { NO_DAMAGE, Workload } from './_workload.ts'

const CUTS = runs(10, 2)

/** Four blocks a day, so that days are sealed while others are written into. */
const STRIDE = 6 * 3_600_000

test(`${CUTS} power cuts while past days are sealed: nothing acknowledged is lost`, async (t) => {
  await using data = await makeDataFolder()
  await using disk = await withForgetfulDisk(data.folder)
  const workload = new Workload({ stride: STRIDE, isCounted: false })
  const random = randomNumbers()

  for (let cut = 0; cut < CUTS; cut++) {
    await using child = await disk.start(BY_HAND)
    assert.deepEqual(await workload.verify(child), NO_DAMAGE, `after ${cut} cuts`)
    // Each sync copies the files: between two waves of writes the sealing comes to its turn.
    await writeFor(300, workload, child)
    const before = countSealed(disk.folder)
    const sealing = new SealingLoop(disk.folder, disk.environment)
    while (countSealed(disk.folder) === before) await sleep(5)
    const stop = new AbortController()
    const writing = workload.write(child, stop.signal)

    await sleep(random() * 400)
    await Promise.all([sealing.kill(), child.kill()])
    await disk.cut(child)
    stop.abort()
    await writing
  }

  await using child = await disk.start(BY_HAND)
  assert.deepEqual(await workload.verify(child), NO_DAMAGE)
  const doctor = await runDoctor(disk.folder)
  assert.equal(doctor.code, 0, doctor.text)
  const sealed = countSealed(disk.folder)
  t.diagnostic(`${workload.acknowledged} records stand, ${sealed} of them sealed`)
  assert.ok(sealed > 0)
})

async function writeFor(milliseconds: number, workload: Workload, child: Child): Promise<void> {
  const stop = new AbortController()
  const writing = workload.write(child, stop.signal)
  await sleep(milliseconds)
  stop.abort()
  await writing
}
