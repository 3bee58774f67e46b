import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { chmod, readdir, readFile, rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { rollForward } from '../../src/backup/continuous/roll-forward.ts'
import type { Child } from '../_child.ts'
import { eventually } from '../_eventually.ts'
import { workplace } from '../cli/_cli.ts'
import { readDay, sendSecond } from '../faults/_one-station.ts'
import {
  copyingProcess,
  makeCopiedFolder,
  readCopyHealth,
  restoreCopied,
  untilCopied,
  type CopiedFolder,
} from './_copied.ts'

async function send(child: Child, second: number): Promise<void> {
  const response = await sendSecond(child, second)
  assert.equal(response.status, 200, response.text)
}

const values = async (child: Child): Promise<number[]> => (await readDay(child)).map(({ v }) => v)

/** A copy with a record of each second, and a moment after each. */
async function makeCopy(data: CopiedFolder, seconds: readonly number[]): Promise<string[]> {
  await using child = await data.serve()
  // On a busy machine the copy may begin with the first record otherwise.
  await untilCopied(child)
  const moments: string[] = []
  for (const second of seconds) {
    await send(child, second)
    moments.push((await untilCopied(child)).copiedThrough!)
  }
  await child.stop()
  return moments
}

/** The files of pieces of the only generation of a copy. */
async function pieceFiles(data: CopiedFolder): Promise<{ folder: string; files: string[] }> {
  const [generation, ...others] = await data.generations()
  assert.deepEqual(others, [])
  const folder = join(data.copy, generation!)
  const names = await readdir(folder)
  return { folder, files: names.filter((name) => name.startsWith('pieces-')).toSorted() }
}

describe('a continuous copy', () => {
  test('is continued after a stop and a kill, has the last commit, and begins anew after a command', async () => {
    await using data = await makeCopiedFolder()
    await using place = await workplace()
    const file = join(data.folder, 'tls', 'certificate.pem')
    await makeCopy(data, [1])
    {
      await using child = await data.serve()
      await send(child, 2)
      await untilCopied(child)
      process.kill(copyingProcess(child), 'SIGKILL')
      await send(child, 3)
      await child.kill()
    }
    {
      await using child = await data.serve()
      await send(child, 4)
      const { generations } = await untilCopied(child)
      assert.equal(generations, 0)
      await send(child, 5)
      await child.stop()
    }

    assert.equal((await data.generations()).length, 1)
    assert.deepEqual(await restoreCopied(place, data.copy), [1, 2, 3, 4, 5])
    const folder = (await readdir(place.folder)).find((name) => name.startsWith('restored'))
    const copied = join(place.folder, folder!, 'tls', 'certificate.pem')
    assert.deepEqual(await readFile(copied), await readFile(file))

    // What it has written while no service ran is in no log that was followed.
    await place.run(['app', 'create', '--user', '1', '--name', 'new', '--data', data.folder])
    await makeCopy(data, [6])
    assert.equal((await data.generations()).length, 2)
    assert.deepEqual(await restoreCopied(place, data.copy), [1, 2, 3, 4, 5, 6])
  })

  test('restores a moment, moves its begin on, names a damaged piece and what is before it', async () => {
    await using data = await makeCopiedFolder()
    await using place = await workplace()
    const [first, second] = await makeCopy(data, [1, 2, 3])
    const early = ['restore', data.copy, '--data', join(place.folder, 'early'), '--at']

    assert.deepEqual(await restoreCopied(place, data.copy), [1, 2, 3])
    assert.deepEqual(await restoreCopied(place, data.copy, '--at', first!), [1])
    assert.deepEqual(await restoreCopied(place, data.copy, '--at', second!), [1, 2])
    const refused = await place.run([...early, '2020-01-01T00:00'])
    assert.match(refused.stderr, /The copy in .* begins at .*: name that moment or a later one/)
    const future = await place.run([...early, '2999-01-01T00:00'])
    assert.equal(future.code, 1)
    const [, newest] =
      /^--at 2999-\S+ is in the future, and the newest moment in \S+ is (\S+)\. Name that moment/.exec(
        future.stderr,
      ) ?? []
    assert.deepEqual(await restoreCopied(place, data.copy, '--at', newest!), [1, 2, 3])

    const zone = { TZ: 'Asia/Kolkata' }
    const listed = await place.runProcess(['restore', data.copy, '--list'], zone)
    const [, listedFrom, listedTo] = /generation-\S+ +(\S+\+05:30) +(\S+\+05:30)/.exec(
      listed.stdout,
    )!
    assert.deepEqual(await restoreCopied(place, data.copy, '--at', listedFrom!), [])
    assert.deepEqual(await restoreCopied(place, data.copy, '--at', listedTo!), [1, 2, 3])

    await makeCopy(data, [4])
    const { folder, files } = await pieceFiles(data)
    await rollForward(folder, () => Date.now())
    assert.deepEqual((await pieceFiles(data)).files, files.slice(-1))
    assert.deepEqual(await restoreCopied(place, data.copy), [1, 2, 3, 4])
    const gone = await place.run([...early, first!])
    assert.match(gone.stderr, /begins at .*: name that moment or a later one/)

    const path = join(folder, files.at(-1)!)
    const bytes = await readFile(path)
    bytes[bytes.length - 40]! ^= 1
    await writeFile(path, bytes)
    const damaged = await place.run(['restore', data.copy, '--data', join(place.folder, 'none')])

    assert.equal(damaged.code, 1)
    const [, at] = /pieces-\d+-\d+ is damaged at byte .* --at (\S+)\.\n/.exec(damaged.stderr) ?? []
    assert.ok(at !== undefined, damaged.stderr)
    assert.deepEqual(await restoreCopied(place, data.copy, '--at', at), [1, 2, 3, 4])
  })

  test('whose folder others can write to is made, and the log and health warn', async () => {
    await using data = await makeCopiedFolder()
    await chmod(data.copy, 0o777)
    await using child = await data.serve()
    const { exposure } = await untilCopied(child)

    const sentence = `Others can change the continuous copy in ${data.copy}, since the folder ${data.copy} can be written by others (mode 0777): run "chmod go-w ${data.copy}".`
    assert.equal(exposure, sentence)
    assert.equal(child.logged.split(JSON.stringify(sentence)).length, 2)
  })

  test('says that its folder is gone, and goes on when it is back', async () => {
    await using data = await makeCopiedFolder()
    await using child = await data.serve()
    await untilCopied(child)
    const away = `${data.copy}-away`
    await rename(data.copy, away)
    await send(child, 1)
    await eventually(async () => {
      const { problem, state } = await readCopyHealth(child)
      assert.equal(state, 'waits')
      assert.match(problem ?? '', /^The folder .* is gone\. Mount its disk or create the folder\.$/)
    })
    assert.match(child.logged, /The continuous copy waits: The folder .* is gone/)

    await rename(away, data.copy)
    const { problem, generations, base } = await untilCopied(child)

    const expected = { problem: undefined, generations: 1, base: undefined }
    assert.deepEqual({ problem, generations, base }, expected)
    assert.deepEqual(await values(child), [1])
  })

  test('whose folder does not answer stops neither the service nor its end', async () => {
    await using data = await makeCopiedFolder()
    // Opening a pipe that nobody reads never ends, like a file of a host that is gone.
    execFileSync('mkfifo', [join(data.copy, 'state.json.new')])
    await using child = await data.serve()
    await send(child, 1)
    const began = performance.now()
    await child.stop()
    const seconds = (performance.now() - began) / 1000

    assert.ok(seconds < 15, `the stop took ${seconds} s`)
    await using again = await data.serve()
    assert.deepEqual(await values(again), [1])
    if (process.env['TEST_DEEP'] === undefined) return again.stop()
    const copying = copyingProcess(again)
    await again.kill()
    await eventually(() => assert.throws(() => process.kill(copying, 0)))
  })
})
