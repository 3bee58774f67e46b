import assert from 'node:assert/strict'
import { mkdir, readdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { DATABASE_FILE } from '../../src/storage/sqlite/connection/main-connection.ts'
import { newDatabase } from '../_postgres.ts'
import { connect } from '../storage/_postgres-connection.ts'
import { workplace, wordsOf, type Workplace } from './_cli.ts'

const SECRET = 'Q7geheim'

/** A server that nobody runs. */
const NOWHERE = `postgres://service:${SECRET}@127.0.0.1:1/site`

const storageOf = async (place: Workplace, args: string[], environment: Record<string, string>) => {
  const result = await place.runProcess(['config', 'check', '--json', ...args], environment)
  assert.equal(result.code, 0, result.stderr)
  const { settings } = JSON.parse(result.stdout) as {
    settings: { name: string; value: unknown; from: string }[]
  }
  const { value, from } = settings.find(({ name }) => name === 'storage.url') ?? {}
  return [value, from]
}

describe('--storage', () => {
  test('goes before PLUMBLINE_STORAGE, and that before storage.url', async () => {
    await using place = await workplace()
    await writeFile(
      join(place.folder, 'p.yaml'),
      `storage:\n  url: postgres://u:${SECRET}@file/d\n`,
    )
    const [flag, file] = [
      ['--storage', 'postgresql://u@flag/d'],
      ['--config', 'p.yaml'],
    ]
    const environment = { PLUMBLINE_STORAGE: 'postgres://u@variable/d' }

    assert.deepEqual(await storageOf(place, [], {}), ['sqlite', 'default'])
    assert.deepEqual(await storageOf(place, file, {}), ['postgres://u:***@file/d', 'p.yaml:2'])
    assert.deepEqual(await storageOf(place, file, environment), [
      'postgres://u@variable/d',
      'PLUMBLINE_STORAGE',
    ])
    assert.deepEqual(await storageOf(place, [...flag, ...file], environment), [
      'postgresql://u@flag/d',
      '--storage',
    ])
  })

  test('sqlite is the data folder', async () => {
    await using place = await workplace()

    const { code, stderr } = await place.run(
      'key create --name a --data here --storage sqlite'.split(' '),
    )

    assert.equal(code, 0, stderr)
    assert.ok((await readdir(join(place.folder, 'here'))).includes(DATABASE_FILE))
  })

  test('of another kind is refused, by a sentence with no part of it', async () => {
    await using place = await workplace()

    for (const value of ['', 'mysql://u:Q7geheim@h/d', 'Q7geheim', 'SQLITE', 'postgres:']) {
      const { code, stderr } = await place.run(['app', 'list', '--storage', value])
      assert.equal(code, 2)
      assert.match(
        stderr,
        /^--storage must be sqlite, or a URL such as postgres:\/\/USER@HOST\/DATABASE\nusage: /,
      )
      assert.ok(!stderr.includes(SECRET), stderr)
    }
    const variable = await place.runProcess(['app', 'list'], { PLUMBLINE_STORAGE: '' })
    assert.equal(variable.code, 1)
    assert.match(variable.stderr, /^PLUMBLINE_STORAGE must be sqlite, or a URL such as .*\n$/)
    assert.deepEqual(await readdir(place.folder), [])
  })

  test('with a mistake is refused before any file is made, also by config check', async () => {
    await using place = await workplace()
    const wrong = [
      [`postgres://${SECRET}@h`, 'The storage URL names no database'],
      [`postgres://u:${SECRET}/x@h/d`, 'The storage URL has an @ in a wrong place'],
      [`postgres://u@h/d?sslmode=${SECRET}`, 'The storage URL must have an sslmode of disable'],
    ] as const

    for (const [url, words] of wrong)
      for (const args of [
        ['config', 'check'],
        ['key', 'create', '--name', 'a'],
        ['doctor'],
        ['migrate'],
      ]) {
        const { code, stdout, stderr } = await place.run([...args, '--storage', url])

        assert.deepEqual([code, stdout], [1, ''], args.join(' '))
        assert.ok(stderr.startsWith(words), stderr)
        assert.ok(!stderr.includes(SECRET), stderr)
      }
    assert.deepEqual(await readdir(place.folder), [])
  })

  test('of a server that cannot be reached fails every command, and shows no password', async () => {
    await using place = await workplace()
    const file = 'site.yaml'
    await writeFile(join(place.folder, file), '')

    for (const args of [
      ['serve', '--port', '0'],
      ['demo'],
      ['site', 'apply', file],
      ['site', 'show'],
      ['app', 'list'],
      ['key', 'list'],
      ['rejects', 'list'],
      ['changes'],
      ['undo', '1'],
      ['recompute'],
      ['notifications', 'log'],
      ['maintenance', 'list'],
      ['seal'],
      ['retention'],
      ['migrate'],
      ['migrate', '--dry-run'],
      ['doctor'],
      ['doctor', '--json'],
    ]) {
      // A service is a process of its own.
      const run = args[0] === 'serve' ? place.runProcess : place.run
      const result = await run.call(place, [...args, '--storage', NOWHERE])

      assert.deepEqual([result.code, result.stdout], [1, ''], `${args.join(' ')}: ${result.stderr}`)
      assert.ok(!result.stderr.includes(SECRET), result.stderr)
      assert.equal(wordsOf(result).trim().split('\n').length, 1, result.stderr)
    }
    assert.deepEqual(await readdir(place.folder), [file])
  })
})

const NO_PASSWORD =
  /^The database \S+ cannot be used: it asks for a password\. Name its file with storage\.passwordFile, or/

describe('the password of the database', () => {
  test('may be in a file, and not in the URL as well', async () => {
    await using database = await newDatabase()
    await using place = await workplace()
    const { password } = new URL(database.url)
    await writeFile(join(place.folder, 'password'), `${password}\n`)
    const environment = {
      PLUMBLINE_STORAGE: database.url.replace(`:${password}@`, '@'),
      PLUMBLINE_STORAGE_PASSWORD_FILE: 'password',
    }

    const both = await place.runProcess(['migrate'], {
      ...environment,
      PLUMBLINE_STORAGE: database.url,
    })
    const missing = await place.runProcess(['migrate'], {
      ...environment,
      PLUMBLINE_STORAGE_PASSWORD_FILE: 'none',
    })
    const filed = await place.runProcess(['migrate'], environment)

    assert.match(
      both.stderr,
      /^The password of the database is in the storage URL and in storage\./,
    )
    assert.match(missing.stderr, /^storage.passwordFile: none cannot be read: ENOENT/)
    assert.equal(filed.code, 0, filed.stderr)
  })

  test('in a file of the settings file belongs to the URL there', async () => {
    await using database = await newDatabase()
    await using place = await workplace()
    const { password } = new URL(database.url)
    const url = database.url.replace(`:${password}@`, '@')
    await writeFile(join(place.folder, 'password'), password)
    await writeFile(
      join(place.folder, 'p.yaml'),
      `storage: { url: '${url}', passwordFile: password }\n`,
    )
    const ofFile = ['migrate', '--dry-run', '--config', 'p.yaml']

    const own = await place.run(ofFile)
    const other = await place.run([...ofFile, '--storage', url])
    const named = await place.runProcess([...ofFile, '--storage', url], {
      PLUMBLINE_STORAGE_PASSWORD_FILE: 'password',
    })

    assert.equal(own.code, 0, own.stderr)
    assert.match(other.stderr, NO_PASSWORD)
    assert.equal(named.code, 0, named.stderr)
  })

  test('may be in PGPASSWORD or in the file of PGPASSFILE', async () => {
    await using database = await newDatabase()
    await using place = await workplace()
    const { password, port, username } = new URL(database.url)
    const PLUMBLINE_STORAGE = database.url.replace(`:${password}@`, '@')
    const file = join(place.folder, 'pgpass')
    await writeFile(file, `127.0.0.1:${port}:*:${username}:${password}\n`, { mode: 0o600 })

    for (const [variable, code] of [
      [{ PGPASSWORD: password }, 0],
      [{ PGPASSFILE: file }, 0],
      [{}, 1],
      [{ PGPASSWORD: SECRET }, 1],
    ] as const) {
      const result = await place.runProcess(['migrate'], { PLUMBLINE_STORAGE, ...variable })
      assert.equal(result.code, code, result.stderr)
      assert.ok(!result.stderr.includes(SECRET), result.stderr)
      if (code === 1)
        assert.match(
          result.stderr,
          'PGPASSWORD' in variable ? /Check the password in storage/ : NO_PASSWORD,
        )
    }
  })
})

describe('migrate and doctor', () => {
  test('create and check the tables of a database', async () => {
    await using database = await newDatabase()
    await using place = await workplace()
    const storage = ['--storage', database.url]
    const steps = [{ name: '001-initial', does: 'makes the tables' }]

    const early = await place.run(['doctor', ...storage])
    const dry = await place.json('migrate', '--dry-run', ...storage)
    const first = await place.run(['migrate', ...storage])
    const again = await place.json('migrate', ...storage)

    assert.match(early.stderr, /has no tables of Plumbline: run "plumbline migrate"\.\n$/)
    assert.deepEqual(dry, { from: 0, to: 1, steps, isMigrated: false })
    assert.deepEqual(first.stdout.split('\n'), [
      'The database has no tables of Plumbline; this program needs version 1.',
      'migration    description',
      '001-initial  makes the tables',
      'The database was migrated to version 1.',
      '',
    ])
    assert.deepEqual(again, { from: 1, to: 1, steps: [], isMigrated: false })
    const { password } = new URL(database.url)
    assert.ok(!JSON.stringify([early, first]).includes(password))
  })

  test('the doctor names the server, what may be lost there and what the role may do', async () => {
    await using database = await newDatabase()
    await using place = await workplace()
    const storage = ['--storage', database.url]
    await place.run(['migrate', ...storage])

    await writeFile(join(place.folder, 'p.yaml'), 'storage:\n  poolSize: 1000\n')
    const { stdout } = await place.run(['doctor', '--config', 'p.yaml', ...storage])

    const { username, host, pathname } = new URL(database.url)
    const [first = '', ...lines] = stdout.split('\n')
    assert.match(
      first,
      new RegExp(
        `^Connected to postgres://${username}@${host}${pathname}: PostgreSQL \\d+\\..*, not encrypted, tables of version 1\\.$`,
      ),
    )
    for (const words of [
      /fsync is off/,
      /data checksums are off/,
      /owns the tables, may create tables/,
      /^The settings allow this service 1000 connections, and the server gives its role \d+: /,
    ])
      assert.ok(
        lines.some((line) => words.test(line)),
        stdout,
      )
  })

  test('the doctor names tables that the role may not use', async () => {
    await using database = await newDatabase()
    await using place = await workplace()
    await place.run(['migrate', '--storage', database.url])
    await using connection = await connect(database.url)
    await connection.query(`revoke update on meta from current_user`)

    const { code, stderr } = await place.run(['doctor', '--storage', database.url])

    assert.equal(code, 1)
    assert.match(stderr, /may not update in meta: run docs\/postgres/)
  })
})

test('a settings file with a mistake stops a command that could otherwise use another database', async () => {
  await using place = await workplace()
  await mkdir(join(place.folder, 'data'))
  await writeFile(
    join(place.folder, 'data', 'plumbline.yaml'),
    'storage:\n  ulr: postgres://u@h/d\n',
  )

  const { code, stderr } = await place.run(['key', 'create', '--name', 'a'])

  assert.equal(code, 1)
  assert.match(
    stderr,
    /plumbline\.yaml:2: there is no setting "storage\.ulr" \(did you mean storage\.url\?\)/,
  )
})
