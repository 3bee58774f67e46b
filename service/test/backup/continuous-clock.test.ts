import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { Copying } from '../../src/backup/continuous/copying.ts'
import type { CopyState } from '../../src/backup/continuous/copy-state.ts'
import { startChild } from '../_child.ts'
import { workplace } from '../cli/_cli.ts'
import { eventually } from '../_eventually.ts'
import { readDay, sendSecond } from '../faults/_one-station.ts'
import { makeDataFolder } from '../faults/_site.ts'

const YEAR = 365 * 86_400_000

/** Stores a value while a copy is kept whose clock is so far from the right one. */
async function storeWhileCopied(
  { folder, to }: { folder: string; to: string },
  second: number,
  milliseconds: number,
): Promise<void> {
  await using child = await startChild(folder)
  const settingsFile = join(folder, 'plumbline.yaml')
  const options = { dataFolder: folder, settingsFile, mappings: [], to, seconds: 1, keepDays: 7 }
  let state: CopyState | undefined
  const now = (): number => Date.now() + milliseconds
  const copying = new Copying(options, (found) => (state = found), now)
  const running = copying.run()
  const { status, text } = await sendSecond(child, second)
  assert.equal(status, 200, text)
  const storedAt = now()
  await eventually(() => assert.ok((state?.copiedThrough ?? -Infinity) > storedAt))
  await child.stop()
  copying.finish()
  await running
}

test('a copy made while the clock was a year ahead does not hide what came after it', async () => {
  await using data = await makeDataFolder()
  await using place = await workplace()
  const to = await mkdtemp(join(tmpdir(), 'plumbline-copy-'))
  await using stack = new AsyncDisposableStack()
  stack.defer(() => rm(to, { recursive: true, force: true }))
  const { folder } = data

  await storeWhileCopied({ folder, to }, 1, 0)
  const between = new Date().toISOString()
  await storeWhileCopied({ folder, to }, 2, YEAR)
  // A write that no copy has followed: the next one is another generation.
  await place.run(['app', 'create', '--user', '1', '--name', 'new', '--data', folder])
  await storeWhileCopied({ folder, to }, 3, 0)
  const restore = async (...flags: string[]): Promise<number[]> => {
    const restored = join(place.folder, `restored${flags.length}`)
    await place.json('restore', to, '--data', restored, ...flags)
    await using child = await startChild(restored)
    return (await readDay(child)).map(({ v }) => v)
  }

  assert.deepEqual(await restore(), [1, 2, 3])
  assert.deepEqual(await restore('--at', between), [1])
})
