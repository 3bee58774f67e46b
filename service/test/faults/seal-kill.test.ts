import assert from 'node:assert/strict'
import test from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { startChild } from '../_child.ts'
import { randomNumbers, runs } from '../_random.ts'
import { BY_HAND, countSealed, runDoctor, SealingLoop } from './_sealing.ts'
import { makeDataFolder } from './_site.ts'
import { NO_DAMAGE, Workload } from './_workload.ts'

const KILLS = runs(20, 3)

/** Four blocks a day, so that days are sealed while others are written into. */
const STRIDE = 6 * 3_600_000

test(`${KILLS} kills while past days are corrected and sealed: every acknowledged record is stored once`, async (t) => {
  await using data = await makeDataFolder()
  const workload = new Workload({ stride: STRIDE, isCounted: false })
  const random = randomNumbers()

  for (let round = 0; round < KILLS; round++) {
    await using child = await startChild(data.folder, BY_HAND)
    assert.deepEqual(await workload.verify(child), NO_DAMAGE, `after ${round} kills`)
    const sealing = new SealingLoop(data.folder)
    const stop = new AbortController()
    const writing = workload.write(child, stop.signal)

    // On a busy machine the command may take longer to start than it is left alone.
    if (round % 3 === 0) await sealing.hasSealed
    await sleep(200 + random() * 500)
    // Now the one dies first and now the other.
    if (round % 2 === 0) await sealing.kill()
    await child.kill()
    await sealing.kill()
    stop.abort()
    await writing
  }

  await using child = await startChild(data.folder, BY_HAND)
  assert.deepEqual(await workload.verify(child), NO_DAMAGE)
  const doctor = await runDoctor(data.folder)
  assert.equal(doctor.code, 0, doctor.text)
  const sealed = countSealed(data.folder)
  t.diagnostic(`${workload.acknowledged} records stand, ${sealed} of them sealed`)
  assert.ok(sealed > 0)
})
