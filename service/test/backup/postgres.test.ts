import assert from 'node:assert/strict'
import { readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { applySite } from '../../src/site/apply/apply.ts'
import { openPostgres } from '../../src/storage/postgres/open.ts'
import { strains, START } from '../cli/_full-site.ts'
import { workplace, wordsOf, type Workplace } from '../cli/_cli.ts'
import { newDatabase } from '../_postgres.ts'
import { SITE } from '../_site.ts'

const fillDatabase = async (url: string): Promise<void> => {
  await using storage = await openPostgres(url, { poolSize: 4, statementTimeoutSeconds: 30 })
  await applySite(storage, { text: SITE, fileName: 'site.yaml' })
  await storage.records.write({ theme: strains(1001, START, 500) })
}

async function exported(place: Workplace, url: string): Promise<string> {
  const range = '--from 2026-01-01 --to 2026-12-31 --format csv --output -'.split(' ')
  const { code, stdout, stderr } = await place.run([
    'export',
    '--structure',
    '1',
    ...range,
    '--storage',
    url,
  ])
  assert.equal(code, 0, stderr)
  assert.ok(stdout.length > 1000)
  return stdout
}

/** What a server of the tests is told, which may lose records. */
const complaintsOf = (result: { stderr: string }): string =>
  wordsOf(result).replaceAll(/^The database: .*\n/gm, '')

describe('a backup of PostgreSQL', () => {
  test('is restored into an empty database, with all sealed and open records', async () => {
    await using place = await workplace()
    await using database = await newDatabase()
    await using empty = await newDatabase()
    await fillDatabase(database.url)
    assert.equal((await place.run(['seal', '--storage', database.url])).code, 0)
    const expected = await exported(place, database.url)

    const to = ['backup', 'backups', '--storage', database.url, '--verify']
    const made = await place.run(to)
    const restored = await place.run([
      'restore',
      'backups',
      '--storage',
      empty.url,
      '--data',
      'restored',
    ])

    assert.deepEqual([made.code, complaintsOf(made)], [0, ''])
    assert.deepEqual([restored.code, complaintsOf(restored)], [0, ''])
    assert.equal(await exported(place, empty.url), expected)
    const names = await readdir(join(place.folder, 'backups'))
    const name = names.find((one) => one.endsWith('Z'))
    const file = join(place.folder, 'backups', name!, 'manifest.json')
    const manifest = JSON.parse(await readFile(file, 'utf8'))
    assert.deepEqual([manifest.engine, manifest.records], ['postgres', { theme: 500, raw: 0 }])
    assert.equal(JSON.stringify(manifest).includes(database.url), false)
  })

  test('is refused for a database that has tables, and for a data folder', async () => {
    await using place = await workplace()
    await using database = await newDatabase()
    await fillDatabase(database.url)
    await place.json('backup', 'backups', '--storage', database.url)

    const full = await place.run([
      'restore',
      'backups',
      '--storage',
      database.url,
      '--data',
      'restored',
    ])
    const folder = await place.run(['restore', 'backups', '--data', 'restored'])

    assert.match(full.stderr, /has tables of Plumbline: nothing is overwritten\./)
    assert.match(folder.stderr, /is one of PostgreSQL\. Name an empty database with --storage\./)
    assert.deepEqual([full.code, folder.code], [1, 1])
  })

  test('says which tool is missing or too old, and leaves nothing', async () => {
    await using place = await workplace()
    await using database = await newDatabase()
    await fillDatabase(database.url)
    const backUp = (path: string) =>
      place.runProcess(['backup', 'backups', '--storage', database.url], { PATH: path })

    const missing = await backUp(place.folder)
    const old = join(place.folder, 'pg_dump')
    await writeFile(old, '#!/bin/sh\necho "pg_dump (PostgreSQL) 9.6"\n', { mode: 0o755 })
    const tooOld = await backUp(place.folder)

    assert.match(missing.stderr, /The program pg_dump is not on this machine\. Install /)
    assert.match(
      tooOld.stderr,
      /pg_dump has version 9, and the server has \d+\. Install the client/,
    )
    const names = await readdir(join(place.folder, 'backups'))
    assert.deepEqual(
      names.filter((name) => /^\d/.test(name)),
      [],
    )
  })
})
