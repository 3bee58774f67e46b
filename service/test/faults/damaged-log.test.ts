import assert from 'node:assert/strict'
import { readFile, readdir, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { startChild } from '../_child.ts'
import { workplace } from '../cli/_cli.ts'
import { sendSecond } from './_one-station.ts'
import { makeDataFolder } from './_site.ts'

/** A folder as a killed service leaves it, with 30 acknowledged records in the log. */
async function killed(folder: string): Promise<Buffer> {
  await using child = await startChild(folder)
  for (let second = 0; second < 30; second++)
    assert.equal((await sendSecond(child, second)).status, 200)
  await child.kill()
  return readFile(join(folder, 'plumbline.db-wal'))
}

const kept = async (folder: string): Promise<string[]> =>
  (await readdir(folder)).filter((name) => name.includes('.damaged-'))

describe('the write-ahead log of a killed service', () => {
  test('with a flipped bit is kept, reported once by the log and by doctor, and served without its end', async () => {
    await using data = await makeDataFolder()
    await using place = await workplace()
    const log = await killed(data.folder)
    log[Math.floor(log.length / 3)]! ^= 4
    await writeFile(join(data.folder, 'plumbline.db-wal'), log)

    await using child = await startChild(data.folder)
    const ready = await child.getOps('/health/ready')
    const said = child.logged
    await sendSecond(child, 99)
    await child.kill()
    await using next = await startChild(data.folder)
    const saidNext = next.logged
    await next.stop()
    const found = await place.run(['doctor', '--data', data.folder])

    assert.equal(ready.status, 200)
    assert.match(
      said,
      /"level":50.*The write-ahead log plumbline\.db-wal is damaged after frame \d+: \d+ frames of at least \d+ transactions/,
    )
    assert.doesNotMatch(saidNext, /is damaged behind/)
    const [copy, ...others] = await kept(data.folder)
    assert.deepEqual(others, [])
    assert.deepEqual(await readFile(join(data.folder, copy!)), log)
    assert.equal((await stat(join(data.folder, copy!))).mode & 0o077, 0)
    assert.equal(found.code, 1)
    assert.match(found.stdout, new RegExp(`${copy}: .* are lost`))
  })

  test('whole or torn at its end is not reported', async () => {
    await using data = await makeDataFolder()
    const log = await killed(data.folder)
    {
      await using whole = await startChild(data.folder)
      assert.doesNotMatch(whole.logged, /damaged/)
      await whole.kill()
    }
    await writeFile(join(data.folder, 'plumbline.db-wal'), log.subarray(0, log.length - 5_000))

    await using torn = await startChild(data.folder)

    assert.doesNotMatch(torn.logged, /damaged/)
    assert.deepEqual(await kept(data.folder), [])
  })

  test('is checkpointed by a command that only reads', async () => {
    await using data = await makeDataFolder()
    await using place = await workplace()
    await killed(data.folder)

    const { code, stderr } = await place.run(['app', 'list', '--data', data.folder])

    assert.equal(code, 0, stderr)
    const left = await readdir(data.folder)
    assert.ok(!left.includes('plumbline.mark') && !left.includes('plumbline.db-wal'))
  })

  test('is reported as missing once when it is gone at the next start', async () => {
    await using data = await makeDataFolder()
    await killed(data.folder)
    await rm(join(data.folder, 'plumbline.db-wal'))

    await using child = await startChild(data.folder)
    const said = child.logged
    await child.stop()
    const left = await readdir(data.folder)
    await using next = await startChild(data.folder)

    assert.match(said, /"level":50.*its write-ahead log plumbline\.db-wal is missing/)
    assert.ok(!left.includes('plumbline.mark') && !left.includes('plumbline.db-wal'))
    assert.doesNotMatch(next.logged, /is missing/)
  })

  test('is reported as missing by every command, and by the service after them', async () => {
    await using data = await makeDataFolder()
    await using place = await workplace()
    await killed(data.folder)
    await rm(join(data.folder, 'plumbline.db-wal'))

    const commands = [
      await place.run(['changes', '--data', data.folder]),
      await place.run(['app', 'list', '--data', data.folder]),
    ]
    await using child = await startChild(data.folder)

    for (const { stderr } of commands)
      assert.match(stderr, /its write-ahead log plumbline\.db-wal is missing/)
    assert.match(child.logged, /"level":50.*its write-ahead log plumbline\.db-wal is missing/)
  })
})
