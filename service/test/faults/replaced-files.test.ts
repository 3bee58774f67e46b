import assert from 'node:assert/strict'
import { copyFile, readFile, rename, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { openSqlite } from '../../src/storage/sqlite/open.ts'
import { startChild, type Child } from '../_child.ts'
import { eventually } from '../_eventually.ts'
import { readDay, sendSecond } from './_one-station.ts'
import { makeDataFolder } from './_site.ts'

const isReady = async (child: Child): Promise<boolean> =>
  (await child.getOps('/health/ready')).status === 200

/** Somebody puts another file in the place of an open one. */
async function replace(path: string): Promise<void> {
  await copyFile(path, `${path}.copy`)
  await rename(`${path}.copy`, path)
}

describe('a database file that is removed under a running service', () => {
  for (const [what, name, take] of [
    ['removed log', 'plumbline.db-wal', rm],
    ['replaced log', 'plumbline.db-wal', replace],
    ['removed database', 'plumbline.db', rm],
    ['replaced database', 'plumbline.db', replace],
    ['removed index of the log', 'plumbline.db-shm', rm],
  ] as const)
    test(`a ${what} responds 503 to writers with the file's name, and the service stays not ready`, async () => {
      await using data = await makeDataFolder()
      await using child = await startChild(data.folder)
      assert.equal((await sendSecond(child, 0)).status, 200)

      await take(join(data.folder, name))
      const first = await sendSecond(child, 1)
      const ready = await child.getOps('/health/ready')
      await eventually(() => assert.match(child.logged, /removed or replaced/))
      const second = await sendSecond(child, 2)

      assert.equal(first.status, 503)
      assert.match(first.json().message, new RegExp(`The file ${name} was removed or replaced`))
      assert.equal(second.status, 503)
      assert.equal(ready.status, 503)
      assert.match(ready.text, new RegExp(name))
      assert.equal((await readDay(child)).length > 0, true)
    })

  test('is not the effect of a backup: the service keeps its lock on the database', async () => {
    await using data = await makeDataFolder()
    await using child = await startChild(data.folder)
    const { ino } = await stat(join(data.folder, 'plumbline.db'))

    for (let second = 0; second < 3; second++) {
      assert.equal((await sendSecond(child, second)).status, 200)

      // Without it another process that closes the database takes the service for gone, and removes its log.
      assert.match(
        await readFile('/proc/locks', 'utf8'),
        new RegExp(`READ +${child.pid} .*:${ino} `),
      )
    }
  })

  test('is detected without any write', async () => {
    await using data = await makeDataFolder()
    await using child = await startChild(data.folder)

    await rm(join(data.folder, 'plumbline.db-wal'))

    await eventually(() => assert.match(child.logged, /plumbline\.db-wal was removed/))
    assert.equal(await isReady(child), false)
  })

  test('after a removed write-ahead log a service that stops cleanly loses nothing', async () => {
    await using data = await makeDataFolder()
    await using child = await startChild(data.folder)
    for (let second = 0; second < 5; second++)
      assert.equal((await sendSecond(child, second)).status, 200)

    await rm(join(data.folder, 'plumbline.db-wal'))
    assert.equal((await sendSecond(child, 5)).status, 503)
    await child.stop()
    await using next = await startChild(data.folder)

    assert.ok((await readDay(next)).length >= 5)
    assert.equal((await sendSecond(next, 6)).status, 200)
    assert.equal(await isReady(next), true)
  })

  test('commands beside the service do not look like a removed file', async () => {
    await using data = await makeDataFolder()
    await using child = await startChild(data.folder)
    for (let second = 0; second < 3; second++) {
      await using storage = await openSqlite(data.folder, { yieldsToService: true })
      await storage.check()
      assert.equal((await sendSecond(child, second)).status, 200)
    }
    assert.equal((await sendSecond(child, 9)).status, 200)
    assert.equal(await isReady(child), true)
  })
})
