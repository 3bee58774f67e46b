import assert from 'node:assert/strict'
import { rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, test, type TestContext } from 'node:test'
import type { Child } from '../_child.ts'
import { eventually } from '../_eventually.ts'
import { workplace, type Workplace } from '../cli/_cli.ts'
import { readDay, sendSecond } from '../faults/_one-station.ts'
import { compileShim } from '../faults/_shim.ts'
import { makeCopiedFolder, readCopyHealth, restoreCopied, untilCopied } from './_copied.ts'

/** The disk of a continuous copy, which is full while the test wants it; `below` is a part of its folder. */
async function makeDisk(place: Workplace, copy: string, below = '') {
  const flag = join(place.folder, 'full')
  return {
    environment: {
      LD_PRELOAD: await compileShim('disk-full', place.folder),
      FULL_FOLDER: join(copy, below),
      FULL_FLAG: flag,
    },
    fill: () => writeFile(flag, ''),
    empty: () => rm(flag),
  }
}

const FULL =
  /^The folder .* takes no files: ENOSPC: .*Free or repair it; copying goes on by itself\.$/

const untilFull = (child: Child) =>
  eventually(async () => {
    const { state, problem } = await readCopyHealth(child)
    assert.equal(state, 'waits')
    assert.match(problem ?? '', FULL)
  })

/** What the log says of the copy, in the order in which it says it. */
function saidOfCopy({ logged }: Child, test: TestContext): string[] {
  const said = Array.from(
    logged.matchAll(/The continuous copy (waits: .*? takes no files|goes on)/g),
  )
  test.diagnostic(
    logged
      .split('\n')
      .filter((line) => line.includes('continuous copy'))
      .join('\n'),
  )
  return said.map(([, words = '']) => (words === 'goes on' ? words : 'waits'))
}

async function send(child: Child, seconds: readonly number[]): Promise<void> {
  for (const second of seconds) assert.equal((await sendSecond(child, second)).status, 200)
}

describe('a continuous copy whose disk is full', () => {
  test('waits, says so once, and goes on without a gap when there is room', async (t) => {
    await using place = await workplace()
    await using data = await makeCopiedFolder()
    const disk = await makeDisk(place, data.copy)
    await using child = await data.serve(disk.environment)
    await send(child, [1])
    await untilCopied(child)

    await disk.fill()
    await send(child, [2])
    await untilFull(child)
    await send(child, [3])
    const stored = (await readDay(child)).map(({ v }) => v)
    await disk.empty()
    const { problem, state, generations } = await untilCopied(child)
    await send(child, [4])
    await child.stop()

    assert.deepEqual(stored, [1, 2, 3])
    assert.deepEqual(
      { problem, state, generations },
      {
        problem: undefined,
        state: 'follows',
        generations: 1,
      },
    )
    assert.deepEqual(saidOfCopy(child, t), ['waits', 'goes on'])
    assert.deepEqual(await restoreCopied(place, data.copy), [1, 2, 3, 4])
  })

  test('while its database is copied begins anew when there is room', async (t) => {
    await using place = await workplace()
    await using data = await makeCopiedFolder()
    const disk = await makeDisk(place, data.copy, 'generation-')
    await disk.fill()
    await using child = await data.serve(disk.environment)
    await send(child, [1])
    await untilFull(child)

    await disk.empty()
    const { problem, state } = await untilCopied(child)
    await child.stop()

    assert.deepEqual({ problem, state }, { problem: undefined, state: 'follows' })
    const said = saidOfCopy(child, t)
    assert.equal(said.at(-1), 'goes on')
    assert.ok(said.length <= 4, said.join(', '))
    assert.equal((await data.generations()).length, 1)
    assert.deepEqual(await restoreCopied(place, data.copy), [1])
  })
})
