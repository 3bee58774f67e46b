import assert from 'node:assert/strict'
import { join } from 'node:path'
import { test } from 'node:test'
import { workplace } from '../cli/_cli.ts'
import { pretendDisk } from './_disk-state.ts'
import { makeCurrent } from './_versions.ts'

const NFS = 0x6969

const REFUSAL =
  'The data folder data lies on a network file system (NFS), where SQLite can lose records: its locks and its shared memory hold on one machine only. Choose a folder on a disk of this machine with --data, or store the data in PostgreSQL (storage.url).\n'

test('a data folder on NFS is refused by the service and by commands that write, and may be checked', async (t) => {
  await using place = await workplace()
  const { environment } = await pretendDisk(place.folder, t, { type: NFS })
  const run = (...args: string[]) => place.runProcess(args, environment)

  const missing = await run('serve', '--port', '0')
  await makeCurrent(join(place.folder, 'data'))
  const [served, created, checked] = await Promise.all([
    run('serve', '--port', '0'),
    run('key', 'create', '--name', 'k'),
    run('doctor'),
  ])

  for (const { code, stdout, stderr } of [missing, served, created])
    assert.deepEqual([code, stdout, stderr], [1, '', REFUSAL])
  assert.equal(checked.code, 0, checked.stderr)
})
