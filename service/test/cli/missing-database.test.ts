import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { SITE } from '../_site.ts'
import { HEADER, MAPPING } from '../ingest/_watched.ts'
import { workplace } from './_cli.ts'

const WINDOW = ['--from', '2026-01-01', '--to', '2026-01-02']

test('commands that do not create a database refuse a folder without one, and create nothing', async () => {
  await using place = await workplace()
  await writeFile(join(place.folder, 'site.yaml'), SITE)
  await writeFile(join(place.folder, 'mapping.yaml'), MAPPING)
  await writeFile(join(place.folder, 'rows.csv'), HEADER)
  const refused = [
    ['doctor'],
    ['doctor', '--rebuild-indexes'],
    ['changes'],
    ['undo', '1'],
    ['site', 'apply', 'site.yaml', '--dry-run'],
    ['import', 'rows.csv', '--mapping', 'mapping.yaml', '--dry-run'],
    ['export', '--stations', '1001', ...WINDOW, '--format', 'csv', '--output', '-'],
    ['app', 'list'],
    ['key', 'list'],
    ['rejects', 'list'],
    ['maintenance', 'list'],
    ['notifications', 'log'],
    ['retention'],
    ['records', 'delete', '--station', '1001', ...WINDOW],
    ['recompute', '--structure', '1', ...WINDOW],
    ['seal'],
    ['unseal'],
    ['migrate'],
    ['migrate', '--dry-run'],
    ['app', 'create', '--user', '1'],
    ['key', 'revoke', '--name', 'x'],
    ['rejects', 'replay', '--all'],
    ['maintenance', 'end', '1'],
  ]

  for (const args of refused) {
    const { code, stdout, stderr } = await place.run([...args, '--data', 'typo'])

    assert.deepEqual([args, code, stdout], [args, 1, ''])
    assert.match(stderr, /^There is no database in typo: (check --data|nothing to migrate)/)
    assert.equal(existsSync(join(place.folder, 'typo')), false)
  }
})

test('a named settings file that cannot be read is refused by each command', async () => {
  await using place = await workplace()

  for (const args of [['doctor'], ['changes'], ['key', 'list']]) {
    const { code, stderr } = await place.run([...args, '--config', 'nope.yaml'])

    assert.deepEqual([code, stderr], [1, 'The settings file nope.yaml cannot be read: ENOENT.\n'])
  }
})
