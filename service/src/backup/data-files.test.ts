import assert from 'node:assert/strict'
import { mkdir, mkdtemp, readdir, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { test, type TestContext } from 'node:test'
import fc from 'fast-check'
import { restoreSideFiles, SideFiles } from './continuous/side-files.ts'
import { isDataFile, listDataFiles } from './data-files.ts'

async function makePlace(t: TestContext): Promise<string> {
  const place = await mkdtemp(join(tmpdir(), 'plumbline-files-'))
  t.after(() => rm(place, { recursive: true }))
  const files = {
    'settings.yaml': 'log: {}',
    'data/plumbline.db': 'rows',
    'data/demo.json': '{}',
    'data/secrets/channel': 'secret',
    'data/tls/key.pem': 'key',
    'data/tls/key.pem.new': 'half',
    'data/桥.mapping.yaml': 'columns: []',
    'data/mappings/deep.yaml': 'columns: []',
    'outside.yaml': 'columns: []',
  }
  for (const [path, text] of Object.entries(files)) {
    await mkdir(join(place, path, '..'), { recursive: true })
    await writeFile(join(place, path), text)
  }
  return place
}

const folderOf = (place: string) => ({
  dataFolder: join(place, 'data'),
  settingsFile: join(place, 'settings.yaml'),
  mappings: [
    '桥.mapping.yaml',
    join(place, 'data', 'mappings', 'deep.yaml'),
    '../outside.yaml',
    'missing.yaml',
    'plumbline.db',
  ],
})

const COPIED = [
  'demo.json',
  'mappings/deep.yaml',
  'plumbline.yaml',
  'secrets/channel',
  'tls/key.pem',
  '桥.mapping.yaml',
]

test('the files of a data folder are its own, without the database and what is being written', async (t) => {
  const files = await listDataFiles(folderOf(await makePlace(t)))

  assert.deepEqual(files.map(({ path }) => path).toSorted(), COPIED)
  assert.deepEqual(
    files.filter(({ isSecret }) => !isSecret).map(({ path }) => path),
    ['桥.mapping.yaml', 'mappings/deep.yaml'],
  )
})

test('a set of a continuous copy is restored whole, without links and without a database', async (t) => {
  const place = await makePlace(t)
  const [generation, to] = [join(place, 'generation'), join(place, 'restored')]
  await new SideFiles(folderOf(place)).copyChanged(generation, 1)
  const set = join(generation, 'files', '1'.padStart(16, '0'))
  await writeFile(join(set, 'plumbline.db'), 'other rows')
  await symlink(join(place, 'outside.yaml'), join(set, 'link.yaml'))
  await symlink(join(place, 'data'), join(set, 'there'))

  assert.deepEqual((await restoreSideFiles(generation, 2, to)).toSorted(), COPIED)

  assert.equal(await readFile(join(to, 'secrets', 'channel'), 'utf8'), 'secret')
  assert.equal((await stat(join(to, 'tls', 'key.pem'))).mode & 0o777, 0o600)
  assert.ok(!(await readdir(to)).includes('plumbline.db'))
})

test('a path that a copy may put into a data folder stays in it', () => {
  const part = fc.oneof(
    fc.constantFrom('.', '..', '', 'a', '桥', 'plumbline.db', '\\'),
    fc.string(),
  )
  fc.assert(
    fc.property(fc.array(part, { minLength: 1, maxLength: 5 }), (parts) => {
      const path = parts.join('/')
      if (!isDataFile(path)) return
      assert.ok(resolve('/data', path).startsWith('/data/'), path)
      assert.equal(resolve('/data', path), `/data/${path}`)
      assert.ok(!path.startsWith('plumbline.db'))
    }),
  )
  for (const path of ['plumbline.db', 'plumbline.db-wal', 'plumbline.lock-copy', 'restoring/x', ''])
    assert.equal(isDataFile(path), false, path)
})
