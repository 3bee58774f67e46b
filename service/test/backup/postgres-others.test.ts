import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { readdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { applySite } from '../../src/site/apply/apply.ts'
import { openPostgres } from '../../src/storage/postgres/open.ts'
import { strains, START } from '../cli/_full-site.ts'
import { workplace, type Workplace } from '../cli/_cli.ts'
import { withClient } from '../postgres/_client.ts'
import { newDatabase, startServer } from '../_postgres.ts'
import { SITE } from '../_site.ts'

async function fillDatabase(url: string): Promise<void> {
  await using storage = await openPostgres(url, { poolSize: 4, statementTimeoutSeconds: 30 })
  await applySite(storage, { text: SITE, fileName: 'site.yaml' })
  await storage.records.write({ theme: strains(1001, START, 500) })
}

async function exported(place: Workplace, url: string): Promise<string> {
  const range = '--from 2026-01-01 --to 2026-12-31 --format csv --output -'.split(' ')
  const chosen = ['--structure', '1', '--storage', url]
  const { code, stdout, stderr } = await place.run(['export', ...chosen, ...range])
  assert.equal(code, 0, stderr)
  assert.ok(stdout.length > 1000)
  return stdout
}

/** A server with databases of ordinary roles, and a superuser. */
async function openServer() {
  const server = await startServer()
  const { folder: host, port } = server
  const asSuperuser = (database: string, sql: string) =>
    withClient({ host, port, user: 'postgres', database }, (client) => client.query(sql))
  return {
    asSuperuser,
    /** Makes a database in which the role has the rights of an owner of one schema only. */
    async create(name: string, role: string, schema: string): Promise<string> {
      await server.query(`create role ${role} login password 'secret'`)
      await server.query(`create database ${name}`)
      await asSuperuser(
        name,
        `revoke all on schema public from public;
         create schema if not exists ${schema};
         grant usage, create on schema ${schema} to ${role};
         alter role ${role} in database ${name} set search_path = ${schema}`,
      )
      return `postgres://${role}:secret@127.0.0.1:${port}/${name}`
    },
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  }
}

describe('a backup of PostgreSQL', () => {
  test('has the tables of Plumbline only, beside those of others and extensions, and is restored under other names', async () => {
    await using place = await workplace()
    await using server = await openServer()
    for (const schema of ['public', 'shm']) {
      const from = await server.create(`from_${schema}`, `writer_${schema}`, schema)
      const to = await server.create(`to_${schema}`, `other_${schema}`, schema)
      await fillDatabase(from)
      await server.asSuperuser(
        `from_${schema}`,
        `create extension pg_stat_statements;
         create schema billing; create table billing.secret (n int);
         create table public.of_others (n int); alter table public.of_others owner to postgres`,
      )
      const backups = `backups_${schema}`

      const made = await place.run(['backup', backups, '--storage', from, '--verify'])
      const into = ['--storage', to, '--data', `restored_${schema}`]
      const restored = await place.run(['restore', backups, ...into])

      assert.equal(made.code, 0, made.stderr)
      assert.equal(restored.code, 0, restored.stderr)
      assert.equal(await exported(place, to), await exported(place, from))
      const doctor = await place.run(['doctor', ...into])
      assert.equal(doctor.code, 0, doctor.stdout + doctor.stderr)
    }
  })

  test('is refused for a role that may not read a table of Plumbline', async () => {
    await using place = await workplace()
    await using server = await openServer()
    const url = await server.create('site', 'writer', 'public')
    await fillDatabase(url)
    await server.asSuperuser('site', 'alter table alarm_snapshots owner to postgres')

    const { code, stderr } = await place.run(['backup', 'backups', '--storage', url])

    assert.equal(code, 1)
    assert.match(stderr, /permission denied for table alarm_snapshots/)
  })

  test('is not restored into a schema of another name, which stays empty', async () => {
    await using place = await workplace()
    await using server = await openServer()
    const from = await server.create('site', 'writer', 'shm')
    const to = await server.create('elsewhere', 'reader', 'monitoring')
    await fillDatabase(from)
    await place.json('backup', 'backups', '--storage', from)

    const into = ['--storage', to, '--data', 'restored']
    const { code, stderr } = await place.run(['restore', 'backups', ...into])

    assert.equal(code, 1)
    assert.match(
      stderr,
      /The dump has no tables for the schema monitoring .* nothing was restored\./,
    )
  })

  test('of damaged data is refused, and the database that has it now is named', async () => {
    await using place = await workplace()
    await using database = await newDatabase()
    await using empty = await newDatabase()
    await fillDatabase(database.url)
    assert.equal((await place.run(['seal', '--storage', database.url])).code, 0)
    await withClient({ connectionString: database.url }, (client) =>
      client.query('update theme_sealed_parts set header_crc = header_crc # 1'),
    )
    await place.json('backup', 'backups', '--storage', database.url)
    const restore = ['restore', 'backups', '--storage', empty.url, '--data', 'restored']

    const { code, stderr } = await place.run(restore)

    assert.equal(code, 1)
    assert.doesNotMatch(stderr, /Nothing was restored/i)
    assert.match(
      stderr,
      new RegExp(
        `was damaged when it was backed up\\. The database \\S*${new URL(empty.url).pathname}\\S* has it now: empty it\\. Then choose an earlier backup, or restore this one with --accept-damage\\.`,
      ),
    )
    assert.deepEqual(await readdir(join(place.folder, 'restored')), ['restoring'])
  })

  test('is not restored among tables of others, nor by tools that are too old for it', async () => {
    await using place = await workplace()
    await using database = await newDatabase()
    await using empty = await newDatabase()
    await fillDatabase(database.url)
    await place.json('backup', 'backups', '--storage', database.url)
    const restore = ['restore', 'backups', '--storage', empty.url, '--data', 'restored']
    const bin = join(place.folder, 'bin')
    await writeFile(
      join(place.folder, 'pg_restore'),
      `#!/bin/sh
[ "$1" = --version ] && { echo "pg_restore (PostgreSQL) 15.3"; exit; }
echo 'pg_restore: error: unsupported version (1.16) in file header' >&2
exit 1
`,
      { mode: 0o755 },
    )

    const old = await place.runProcess(restore, { PATH: `${place.folder}:${bin}` })
    await withClient({ connectionString: empty.url }, (client) =>
      client.query('create table of_others (n int)'),
    )
    const among = await place.run(restore)

    assert.equal(old.code, 1)
    assert.match(old.stderr, /pg_restore failed: .*unsupported version \(1\.16\)/)
    assert.equal(among.code, 1)
    assert.match(among.stderr, /has tables of another program, and none of Plumbline/)
    assert.ok(!existsSync(join(place.folder, 'restored', 'secrets')))
    assert.deepEqual(await readdir(join(place.folder, 'restored')), ['restoring'])
  })
})
