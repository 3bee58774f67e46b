import assert from 'node:assert/strict'
import { chmod, mkdir, readdir, stat, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { ensureCertificate } from '../../src/http/security/certificate.ts'
import { fill, workplace, type Workplace } from '../cli/_cli.ts'

const modeOf = async (path: string): Promise<number> => (await stat(path)).mode & 0o777

/** Everything below the data folder that others may read, write or enter. */
async function openToOthers(place: Workplace): Promise<string[]> {
  const root = join(place.folder, 'data')
  const names = ['', ...(await readdir(root, { recursive: true }))]
  const modes = await Promise.all(names.map((name) => modeOf(join(root, name))))
  return names.filter((_, at) => (modes[at]! & 0o077) !== 0)
}

test('files of the service are readable by their owner only', async () => {
  await using place = await workplace()

  const served = await place.serve(['--port', '0', '--data', 'data'])

  assert.deepEqual(await openToOthers(place), [])
  const names = await readdir(join(place.folder, 'data'))
  assert.ok(names.includes('plumbline.db-wal') && names.includes('plumbline.db-shm'))
  assert.doesNotMatch(served.output.stderr, /accessible to other users/)
})

test('an existing folder and database are made private, with a log line each', async () => {
  await using place = await workplace()
  const folder = join(place.folder, 'data')
  await fill(place, () => Promise.resolve())
  await chmod(folder, 0o755)
  await chmod(join(folder, 'plumbline.db'), 0o644)

  const served = await place.serve(['--port', '0', '--data', 'data'])

  assert.deepEqual(await openToOthers(place), [])
  assert.match(
    served.output.stderr,
    /"data was accessible to other users \(mode 0755\); it has mode 0700 now\."/,
  )
  assert.match(
    served.output.stderr,
    /"data\/plumbline\.db was accessible to other users \(mode 0644\)/,
  )
})

test('an empty folder that is open to all is made private by a command that writes, with a message', async () => {
  await using place = await workplace()
  await mkdir(join(place.folder, 'data'), { mode: 0o777 })
  await chmod(join(place.folder, 'data'), 0o777)

  const { code, stdout, stderr } = await place.run(['key', 'create', '--name', 'k', '--json'])

  assert.equal(code, 0)
  assert.doesNotMatch(stdout, /accessible to other users/)
  assert.match(
    stderr,
    /^data was accessible to other users \(mode 0777\); it has mode 0700 now\.$/m,
  )
  assert.deepEqual(await openToOthers(place), [])
})

test('files of the service have the same permissions under a umask that leaves all open', async () => {
  await using place = await workplace()
  const before = process.umask(0)
  const served = await place.serve(['--port', '0', '--data', 'data']).finally(() => {
    process.umask(before)
  })

  assert.deepEqual(await openToOthers(place), [])
  assert.doesNotMatch(served.output.stderr, /accessible to other users/)
})

test('an open certificate, key and secret are made private, with a log line each', async () => {
  await using place = await workplace()
  const first = await place.serve(['--port', '0', '--data', 'data'])
  await first.stop()
  const ours = ['secrets', 'secrets/playback', 'tls', 'tls/certificate.pem', 'tls/key.pem']
  for (const name of ours)
    await chmod(join(place.folder, 'data', name), name.includes('/') ? 0o666 : 0o777)

  const served = await place.serve(['--port', '0', '--data', 'data'])

  assert.deepEqual(await openToOthers(place), [])
  const told = served.output.stderr.matchAll(/"data\/(\S+) was accessible to other users/g)
  assert.deepEqual(Array.from(told, ([, name]) => name).toSorted(), ours)
})

test('a folder that is a link, and other files in tls, keep their permissions', async () => {
  await using place = await workplace()
  const theirs = join(place.folder, 'theirs')
  await mkdir(join(place.folder, 'data', 'tls'), { recursive: true, mode: 0o700 })
  await writeFile(join(place.folder, 'data', 'tls', 'own.pem'), '', { mode: 0o640 })
  await mkdir(theirs, { mode: 0o750 })
  await symlink(theirs, join(place.folder, 'data', 'secrets'))

  await place.run(['key', 'list'])

  assert.equal(await modeOf(theirs), 0o750)
  assert.equal(await modeOf(join(place.folder, 'data', 'tls', 'own.pem')), 0o640)
})

test('settings and a key of the operator that others may read are logged as a warning and left as they are', async () => {
  await using place = await workplace()
  const files = await ensureCertificate(place.folder, undefined, Date.now())
  const settings = join(place.folder, 'settings.yaml')
  await writeFile(settings, `http: { certificate: ${files.certificate}, key: ${files.key} }\n`)
  await chmod(settings, 0o644)
  await chmod(files.key, 0o604)

  const served = await place.serve(['--port', '0', '--config', settings])

  const { stderr } = served.output
  assert.match(
    stderr,
    /"The settings file \S+ is accessible to other users \(mode 0644\)\. .*chmod 600 /,
  )
  assert.match(
    stderr,
    /"http\.key: the file \S+ is accessible to other users \(mode 0604\)\. .*chmod 600 /,
  )
  assert.equal(await modeOf(settings), 0o644)
  assert.equal(await modeOf(files.key), 0o604)
  await served.stop()
  await chmod(settings, 0o640)
  await chmod(files.key, 0o640)
  const again = await place.serve(['--port', '0', '--config', settings])
  assert.doesNotMatch(again.output.stderr, /accessible to other users/)
})

test('other files of the folder are left as they are', async () => {
  await using place = await workplace()
  await fill(place, () => Promise.resolve())
  await writeFile(join(place.folder, 'data', 'plumbline.yaml'), '', { mode: 0o640 })

  await place.run(['key', 'list'])

  assert.equal(await modeOf(join(place.folder, 'data', 'plumbline.yaml')), 0o640)
})

test('an export has the permissions that the operator’s shell gives', async () => {
  await using place = await workplace()
  await fill(place, () => Promise.resolve())
  const range = ['--from', '2026-01-01', '--to', '2026-01-02']
  const target = ['--format', 'csv', '--output', 'out.csv']

  const { code, stderr } = await place.run(['export', '--stations', '1002', ...range, ...target])

  assert.equal(code, 0, stderr)
  assert.equal(await modeOf(join(place.folder, 'out.csv')), 0o666 & ~process.umask())
})
