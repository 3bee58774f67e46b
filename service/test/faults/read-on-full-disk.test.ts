import assert from 'node:assert/strict'
import { rm } from 'node:fs/promises'
import { describe, test } from 'node:test'
import { startChild, type Child } from '../_child.ts'
import { callHttps } from '../_service.ts'
import { workplace, type Workplace } from '../cli/_cli.ts'
import { fullDisk } from './_full-disk.ts'
import { KEY, makeDataFolder } from './_site.ts'

const SPAN = ['--from', '2026-01-01', '--to', '2026-01-02']
const SOME_READING = [
  ['app', 'list'],
  ['records', 'delete', '--structure', '1', ...SPAN],
  ['doctor'],
]
const ALL_READING = [
  ...SOME_READING,
  ['key', 'list'],
  ['changes'],
  ['rejects', 'list'],
  ['maintenance', 'list'],
  ['notifications', 'log'],
  ['retention'],
]
const EXPORT = ['export', '--structure', '1', ...SPAN, '--format', 'csv', '--output', '-']

const write = (child: Child) =>
  callHttps(`${child.origin}/ingest/v1/theme`, child.certificate, {
    method: 'POST',
    headers: { authorization: `Bearer ${KEY}`, 'content-type': 'application/json' },
    body: JSON.stringify({
      records: [{ station: 1, time: '2026-01-01 00:00:00', values: { v: 1.5 } }],
    }),
  })

/** What the commands say that do not end with 0, by their words. */
async function findFailures(
  place: Workplace,
  folder: string,
  environment: Record<string, string>,
  commands: readonly (readonly string[])[],
): Promise<[string, string][]> {
  const failures: [string, string][] = []
  for (const command of commands) {
    const { code, stderr } = await place.runProcess([...command, '--data', folder], environment)
    if (code !== 0) failures.push([command.join(' '), stderr])
  }
  return failures
}

describe('on a full disk commands that read work, and one that writes names the reason', () => {
  for (const isServed of [true, false])
    test(isServed ? 'beside a running service' : 'while no service runs', async (t) => {
      await using data = await makeDataFolder()
      await using place = await workplace()
      const { environment, flag, fill } = await fullDisk(data.folder, t)
      await rm(flag)
      await using child = await startChild(data.folder, environment)
      assert.equal((await write(child)).status, 200)
      if (!isServed) await child.kill()
      await fill()

      const commands = isServed ? SOME_READING : ALL_READING
      await expectReading(place, data.folder, { environment, commands, reason: 'the disk is full' })
    })
})

describe('where no further file can be made commands read, and one that writes names the reason', () => {
  for (const how of ['beside a running service', 'after one was stopped', 'after one was killed'])
    test(how, async (t) => {
      await using data = await makeDataFolder()
      await using place = await workplace()
      const { environment, flag, fill } = await fullDisk(data.folder, t, 'inodes')
      await rm(flag)
      await using child = await startChild(data.folder, environment)
      assert.equal((await write(child)).status, 200)
      if (how === 'after one was stopped') await child.stop()
      if (how === 'after one was killed') {
        await child.kill()
        // A copy without it: then the log is read alone.
        await rm(`${data.folder}/plumbline.db-shm`)
      }
      await fill()

      // A service has its files, and so has room in them.
      const reason =
        how === 'beside a running service'
          ? undefined
          : 'the disk has no free inodes for a further file'
      const commands = how === 'after one was stopped' ? ALL_READING : SOME_READING
      await expectReading(place, data.folder, { environment, commands, reason })
    })
})

type Expected = {
  environment: Record<string, string>
  commands: readonly (readonly string[])[]
  /** Why nothing is written, if nothing is. */
  reason: string | undefined
}

async function expectReading(
  place: Workplace,
  folder: string,
  { environment, commands, reason }: Expected,
): Promise<void> {
  const failures = await findFailures(place, folder, environment, commands)
  const exported = await place.runProcess([...EXPORT, '--data', folder], environment)
  const written = await place.runProcess(
    ['key', 'create', '--name', 'k', '--data', folder],
    environment,
  )

  assert.deepEqual(failures, [])
  assert.match(exported.stdout, /1\.5/)
  if (reason === undefined) return assert.equal(written.code, 0, written.stderr)
  const stderr = `Nothing can be stored at the moment: ${reason}.\n`
  assert.deepEqual(written, { code: 1, stdout: '', stderr })
}
