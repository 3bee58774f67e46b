import assert from 'node:assert/strict'
import { copyFile, rm, utimes } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { workplace } from '../cli/_cli.ts'
import { startChild, type Child } from '../_child.ts'
import { readDay, sendSecond } from './_one-station.ts'
import { makeDataFolder } from './_site.ts'

async function write(child: Child, second: number): Promise<void> {
  const response = await sendSecond(child, second)
  assert.equal(response.status, 200, response.text)
}

const readValues = async (child: Child): Promise<number[]> =>
  (await readDay(child)).map(({ v }) => v)

/** What a run serves that is killed afterwards. */
async function readOnce(folder: string): Promise<number[]> {
  await using child = await startChild(folder)
  return await readValues(child)
}

/** A run that stores one record after the other, and stops cleanly or is killed. */
async function run(folder: string, values: readonly number[], end: 'stop' | 'kill') {
  await using child = await startChild(folder)
  for (const value of values) await write(child, value)
  await child[end]()
  return child.logged
}

const LONG_AGO = new Date('2026-01-01T00:00:00Z')

describe('a database file that was replaced by an older copy beside the log of a killed run', () => {
  test('is refused with an error that names both files, and nothing is changed', async () => {
    await using data = await makeDataFolder()
    await using place = await workplace()
    const file = join(data.folder, 'plumbline.db')
    const [backup, newer] = [join(place.folder, 'backup'), join(place.folder, 'newer')]
    await run(data.folder, [1], 'stop')
    await copyFile(file, backup)
    await run(data.folder, [2], 'stop')
    await run(data.folder, [3], 'kill')
    await copyFile(file, newer)
    await copyFile(backup, file)

    const served = await place.runProcess(['serve', '--data', data.folder, '--port', '0'], {
      PLUMBLINE_OPS_PORT: '0',
    })
    const listed = await place.run(['app', 'list', '--data', data.folder])
    await copyFile(newer, file)
    const values = await readOnce(data.folder)
    await copyFile(backup, file)
    for (const end of ['-wal', '-shm']) await rm(file + end, { force: true })
    await using restored = await startChild(data.folder)

    for (const { code, stdout, stderr } of [served, listed]) {
      assert.deepEqual([code, stdout], [1, ''])
      assert.match(
        stderr,
        /^The files plumbline\.db and plumbline\.db-wal in .* do not belong together: .*move plumbline\.db-wal and plumbline\.db-shm away\. .* Then start again\.\n$/,
      )
    }
    assert.deepEqual(values, [1, 2, 3])
    assert.deepEqual(await readValues(restored), [1])
  })

  test('is logged where the write-ahead log continues the copy', async () => {
    await using data = await makeDataFolder()
    const file = join(data.folder, 'plumbline.db')
    await run(data.folder, [1], 'stop')
    await utimes(file, LONG_AGO, LONG_AGO)
    await copyFile(file, `${file}.copy`)
    await run(data.folder, [2], 'kill')
    await copyFile(`${file}.copy`, file)

    await using child = await startChild(data.folder)

    assert.match(
      child.logged,
      /"level":40.*was copied or restored .* Its write-ahead log plumbline\.db-wal belongs to it/,
    )
    assert.deepEqual(await readValues(child), [1, 2])
  })

  test('a write-ahead log beside its own file is not mentioned, at any start', async () => {
    await using data = await makeDataFolder()
    const runs = [
      await run(data.folder, [1], 'kill'),
      await run(data.folder, [2, 3], 'kill'),
      await run(data.folder, [], 'kill'),
      await run(data.folder, [4], 'stop'),
      await run(data.folder, [5], 'kill'),
    ]

    await using child = await startChild(data.folder)

    for (const logged of [...runs, child.logged]) assert.doesNotMatch(logged, /plumbline\.db/)
    assert.deepEqual(await readValues(child), [1, 2, 3, 4, 5])
  })
})
