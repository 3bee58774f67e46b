import assert from 'node:assert/strict'
import { cp, mkdir, mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import test from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { startChild, type Child } from '../_child.ts'
import { compileShim } from './_shim.ts'
import { makeDataFolder } from './_site.ts'
import { NO_DAMAGE, Workload, type Damage } from './_workload.ts'

const CUTS = 12

/** A disk that forgets at a power cut what was never synced. */
class ForgetfulDisk implements AsyncDisposable {
  readonly folder: string
  readonly #scratch: string
  readonly #library: string

  constructor(folder: string, scratch: string, library: string) {
    this.folder = folder
    this.#scratch = scratch
    this.#library = library
  }

  get #durable(): string {
    return join(this.#scratch, 'durable')
  }

  start(environment: Record<string, string> = {}): Promise<Child> {
    return startChild(this.folder, {
      LD_PRELOAD: this.#library,
      CUT_FOLDER: this.folder,
      CUT_DURABLE: this.#durable,
      ...environment,
    })
  }

  /** Cuts the power: each file is what it was when it was last synced, or gone. */
  async cut(child: Child): Promise<void> {
    await child.kill()
    await rm(this.folder, { recursive: true })
    await mkdir(this.folder)
    for (const name of await readdir(this.#durable)) {
      if (name.endsWith('.new')) continue
      const file = join(this.folder, name.replaceAll('%', '/'))
      await mkdir(dirname(file), { recursive: true })
      await cp(join(this.#durable, name), file)
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await rm(this.#scratch, { recursive: true, force: true })
  }
}

/** Takes over a folder; what is in it now is on the disk. */
async function withForgetfulDisk(folder: string): Promise<ForgetfulDisk> {
  const scratch = await mkdtemp(join(tmpdir(), 'plumbline-cut-'))
  const durable = join(scratch, 'durable')
  await mkdir(durable)
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue
    const file = join(entry.parentPath, entry.name)
    await cp(file, join(durable, file.slice(folder.length + 1).replaceAll('/', '%')))
  }
  return new ForgetfulDisk(folder, scratch, await compileShim('power-cut', scratch))
}

/** Writes for a moment, cuts the power and starts again; tells what is missing then. */
async function writeAndCut(
  disk: ForgetfulDisk,
  workload: Workload,
  environment: Record<string, string> = {},
): Promise<Damage> {
  {
    await using child = await disk.start(environment)
    const stop = new AbortController()
    const writing = workload.write(child, stop.signal)
    await sleep(200 + Math.random() * 600)
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
  assert.ok(workload.acknowledged > 10_000)
})

test('with storage.synchronous off acknowledged records are lost, as its description says', async () => {
  await using data = await makeDataFolder()
  await using disk = await withForgetfulDisk(data.folder)

  const off = { PLUMBLINE_STORAGE_SYNCHRONOUS: 'off' }
  const damage = await writeAndCut(disk, new Workload(), off)

  assert.ok(damage.lost.length > 0)
})

test('a power cut right after the first start leaves a service that starts with the same certificate', async () => {
  await using data = await makeDataFolder()
  await rm(data.folder, { recursive: true })
  await mkdir(data.folder)
  await using disk = await withForgetfulDisk(data.folder)

  const first = await disk.start()
  await disk.cut(first)
  await using again = await disk.start()

  assert.ok(again.certificate === first.certificate, 'it has made another certificate')
})
