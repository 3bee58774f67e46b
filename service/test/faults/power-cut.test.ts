import assert from 'node:assert/strict'
import { mkdir, rm } from 'node:fs/promises'
import test from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { randomNumbers, runs } from '../_random.ts'
import { withForgetfulDisk, type ForgetfulDisk } from './_volatile-disk.ts'
import { makeDataFolder } from './_site.ts'
import { NO_DAMAGE, Workload, type Damage } from './_workload.ts'

const CUTS = runs(20, 2)

const random = randomNumbers()

/** Writes for a moment, cuts the power and starts again; returns what is missing then. */
async function writeAndCut(
  disk: ForgetfulDisk,
  workload: Workload,
  environment: Record<string, string> = {},
): Promise<Damage> {
  {
    await using child = await disk.start(environment)
    const stop = new AbortController()
    const writing = workload.write(child, stop.signal)
    await sleep(200 + random() * 600)
    await disk.cut(child)
    stop.abort()
    await writing
  }
  await using again = await disk.start(environment)
  return await workload.verify(again)
}

test(`${CUTS} power cuts during ingest: nothing acknowledged is lost, nothing half stored`, async (t) => {
  await using data = await makeDataFolder()
  await using disk = await withForgetfulDisk(data.folder)
  const workload = new Workload()

  for (let cut = 0; cut < CUTS; cut++)
    assert.deepEqual(await writeAndCut(disk, workload), NO_DAMAGE, `after ${cut + 1} cuts`)

  assert.deepEqual([...workload.statuses.keys()], [200])
  t.diagnostic(`${workload.statuses.get(200)} batches, ${workload.acknowledged} records stand`)
  assert.ok(workload.acknowledged > 0)
})

test('with storage.synchronous off acknowledged records are lost, as documented', async () => {
  await using data = await makeDataFolder()
  await using disk = await withForgetfulDisk(data.folder)

  const off = { PLUMBLINE_STORAGE_SYNCHRONOUS: 'off' }
  let lost = 0
  // SQLite may fold the log back, and sync, just before a cut.
  for (let cut = 0; cut < 10 && lost === 0; cut++)
    lost = (await writeAndCut(disk, new Workload(), off)).lost.length

  assert.ok(lost > 0)
})

test('a service starts with the same certificate after a power cut right after its first start', async () => {
  await using data = await makeDataFolder()
  await rm(data.folder, { recursive: true })
  await mkdir(data.folder)
  await using disk = await withForgetfulDisk(data.folder)

  const first = await disk.start()
  await disk.cut(first)
  await using again = await disk.start()

  assert.ok(again.certificate === first.certificate, 'it has made another certificate')
})
