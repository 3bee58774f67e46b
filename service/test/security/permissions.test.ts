import assert from 'node:assert/strict'
import { chmod, mkdir, readdir, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { fill, workplace, type Workplace } from '../cli/_cli.ts'

const modeOf = async (path: string): Promise<number> => (await stat(path)).mode & 0o777

/** Everything below the data folder that others may read, write or enter. */
async function openToOthers(place: Workplace): Promise<string[]> {
  const root = join(place.folder, 'data')
  const names = ['', ...(await readdir(root, { recursive: true }))]
  const modes = await Promise.all(names.map((name) => modeOf(join(root, name))))
  return names.filter((_, at) => (modes[at]! & 0o077) !== 0)
}

test('what the service makes is for its owner only, but for the certificate', async () => {
  await using place = await workplace()

  const served = await place.serve(['--port', '0', '--data', 'data'])

  assert.deepEqual(await openToOthers(place), ['tls/certificate.pem'])
  const names = await readdir(join(place.folder, 'data'))
  assert.ok(names.includes('plumbline.db-wal') && names.includes('plumbline.db-shm'))
  assert.doesNotMatch(served.output.stderr, /open to others/)
})

test('a folder and a database that somebody else made are narrowed, with a line in the log each', async () => {
  await using place = await workplace()
  const folder = join(place.folder, 'data')
  await fill(place, () => Promise.resolve())
  await chmod(folder, 0o755)
  await chmod(join(folder, 'plumbline.db'), 0o644)

  const served = await place.serve(['--port', '0', '--data', 'data'])

  assert.deepEqual(await openToOthers(place), ['tls/certificate.pem'])
  assert.match(
    served.output.stderr,
    /"data was open to others \(mode 0755\); it is mode 0700 now\."/,
  )
  assert.match(served.output.stderr, /"data\/plumbline\.db was open to others \(mode 0644\)/)
})

test('an empty folder that is open to all is narrowed by any command, which says so beside its answer', async () => {
  await using place = await workplace()
  await mkdir(join(place.folder, 'data'), { mode: 0o777 })
  await chmod(join(place.folder, 'data'), 0o777)

  const { code, stdout, stderr } = await place.run(['key', 'list', '--json'])

  assert.equal(code, 0)
  assert.doesNotMatch(stdout, /open to others/)
  assert.equal(stderr, 'data was open to others (mode 0777); it is mode 0700 now.\n')
  assert.deepEqual(await openToOthers(place), [])
})

test('other files of the folder are left as they are', async () => {
  await using place = await workplace()
  await fill(place, () => Promise.resolve())
  await writeFile(join(place.folder, 'data', 'plumbline.yaml'), '', { mode: 0o640 })

  await place.run(['key', 'list'])

  assert.equal(await modeOf(join(place.folder, 'data', 'plumbline.yaml')), 0o640)
})

test('what is exported has the rights that the operator’s shell gives', async () => {
  await using place = await workplace()
  await fill(place, () => Promise.resolve())
  const range = ['--from', '2026-01-01', '--to', '2026-01-02']
  const target = ['--format', 'csv', '--output', 'out.csv']

  const { code, stderr } = await place.run(['export', '--stations', '1002', ...range, ...target])

  assert.equal(code, 0, stderr)
  assert.equal(await modeOf(join(place.folder, 'out.csv')), 0o666 & ~process.umask())
})
