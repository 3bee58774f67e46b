import assert from 'node:assert/strict'
import { readdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import Sqlite from 'better-sqlite3'
import { MIGRATIONS } from '../../src/storage/sqlite/migrations/index.ts'
import { holdServing } from '../../src/storage/sqlite/connection/serving-lock.ts'
import { startChild, type Child } from '../_child.ts'
import { callHttps } from '../_service.ts'
import { SITE } from '../_site.ts'
import { workplace } from '../cli/_cli.ts'
import { change, LATEST, makeOlder, OLDER } from './_older.ts'
import { until } from './_raw.ts'
import { KEY, makeDataFolder, TOKEN } from './_site.ts'

function versionOf(folder: string): number {
  const database = new Sqlite(join(folder, 'plumbline.db'), { readonly: true })
  const version = database.pragma('user_version', { simple: true }) as number
  database.close()
  return version
}

const read = (child: Child) =>
  callHttps(`${child.origin}/api/v1/structures?token=${TOKEN}`, child.certificate, {})

const write = (child: Child) =>
  callHttps(`${child.origin}/ingest/v1/theme`, child.certificate, {
    method: 'POST',
    headers: { authorization: `Bearer ${KEY}`, 'content-type': 'application/json' },
    body: JSON.stringify({
      records: [{ station: 1, time: '2026-01-01 00:00:00', values: { v: 1 } }],
    }),
  })

describe('a database that is older than the program', () => {
  test('is left as it is by every command, with a sentence', async () => {
    await using place = await workplace()
    const folder = join(place.folder, 'data')
    await makeOlder(folder)
    await writeFile(join(place.folder, 'site.yaml'), SITE)

    for (const command of [
      ['app', 'list'],
      ['app', 'create', '--user', '1'],
      ['key', 'create', '--name', 'k'],
      ['site', 'apply', 'site.yaml'],
      ['doctor'],
      ['seal'],
    ]) {
      const { code, stdout, stderr } = await place.run(command)
      assert.deepEqual(
        [code, stdout, stderr],
        [
          1,
          '',
          `The database has version ${OLDER}, this command needs ${LATEST}: run "plumbline migrate" or start the service.\n`,
        ],
      )
    }
    assert.equal(versionOf(folder), OLDER)
  })

  test('is migrated by plumbline migrate, which says what it does', async () => {
    await using place = await workplace()
    const folder = join(place.folder, 'data')
    await makeOlder(folder)

    const dry = await place.run(['migrate', '--dry-run'])
    const versionAfterDry = versionOf(folder)
    const real = await place.run(['migrate'])
    const again = await place.run(['migrate'])

    assert.equal(versionAfterDry, OLDER)
    const steps = MIGRATIONS.slice(OLDER)
    for (const { code, stdout } of [dry, real]) {
      assert.equal(code, 0)
      assert.match(
        stdout,
        new RegExp(`^The database has version ${OLDER}, this program needs ${LATEST}\\.`),
      )
      for (const { name, does } of steps) assert.match(stdout, new RegExp(`${name} +${does}`))
    }
    assert.match(dry.stdout, /\(dry run: nothing was changed\)\n$/)
    assert.match(real.stdout, new RegExp(`The database has version ${LATEST} now\\.\n$`))
    assert.equal(versionOf(folder), LATEST)
    assert.equal(again.stdout, `The database has version ${LATEST}, which this program needs.\n`)
  })

  test('is said to take long where many open records get checksums', async () => {
    await using place = await workplace()
    const folder = join(place.folder, 'data')
    await makeOlder(folder)
    change(folder, (database) =>
      database.exec('insert into theme_days (source, day, count) values (1, 1, 2000000)'),
    )

    const { code, stderr } = await place.run(['migrate'])

    assert.deepEqual(
      [code, stderr],
      [0, 'Adding checksums to 2,000,000 open records takes some 10 s or longer.\n'],
    )
  })

  test('is migrated by a service that starts', async () => {
    await using place = await workplace()
    const folder = join(place.folder, 'data')
    await makeOlder(folder)

    const service = await place.serve(['--port', '0'])
    await service.stop()

    assert.equal(versionOf(folder), LATEST)
  })

  test('is not migrated while an older service serves it', async () => {
    await using place = await workplace()
    const folder = join(place.folder, 'data')
    await makeOlder(folder)
    const older = holdServing(folder)

    const [migrated, served] = await Promise.all([
      place.run(['migrate']),
      place.runProcess(['serve', '--port', '0'], { PLUMBLINE_OPS_PORT: '0' }),
    ])
    older?.[Symbol.dispose]()

    const sentence = `The database has version ${OLDER}, and a Plumbline of that version serves it: stop that one before you migrate to version ${LATEST}.\n`
    assert.deepEqual(
      [migrated, served].map(({ code, stderr }) => [code, stderr]),
      [
        [1, sentence],
        [1, sentence],
      ],
    )
    assert.equal(versionOf(folder), OLDER)
    assert.equal((await place.run(['migrate'])).code, 0)
  })
})

test('a database that a running service serves is not migrated', async () => {
  await using place = await workplace()
  const folder = join(place.folder, 'data')
  await place.serve(['--port', '0'])
  // As if it were of a version before.
  change(folder, (database) => void database.pragma(`user_version = ${OLDER}`))

  const { code, stderr } = await place.run(['migrate'])

  assert.equal(code, 1)
  assert.match(stderr, /and a Plumbline of that version serves it: stop that one/)
  assert.equal(versionOf(folder), OLDER)
})

test('plumbline migrate makes no database where there is none', async () => {
  await using place = await workplace()

  const { code, stderr } = await place.run(['migrate', '--data', 'none'])

  assert.deepEqual([code, stderr], [1, 'There is no database in none: nothing to migrate.\n'])
  assert.deepEqual(await readdir(place.folder), [])
})

describe('a database that a newer program migrates beside a running service', () => {
  const SENTENCE = `The database was migrated to version ${LATEST + 1} by a newer Plumbline; this one knows ${LATEST}: install that version.`

  test('answers readers and writers 503, is not ready, and is logged once', async () => {
    await using data = await makeDataFolder()
    await using child = await startChild(data.folder)
    const before = [await read(child), await write(child)].map(({ status }) => status)

    change(data.folder, (database) => {
      database.exec('alter table tokens rename to access_tokens')
      database.exec('alter table theme_records rename to records_of_themes')
      database.pragma(`user_version = ${LATEST + 1}`)
    })
    // At once and before the next look at the version.
    const after = [await read(child), await write(child)]
    const ready = await child.askOps('/health/ready')
    const isLogged = await until(async () => child.logged.includes(SENTENCE), 5)
    await until(async () => false, 1.5)

    assert.deepEqual(before, [200, 200])
    for (const { status, headers, json } of after) {
      assert.equal(status, 503)
      assert.deepEqual(json(), { name: 'Unavailable', message: SENTENCE })
      assert.match(String(headers['retry-after']), /^[1-9]\d*$/)
    }
    assert.deepEqual([ready.status, JSON.parse(ready.text).message], [503, SENTENCE])
    assert.equal((await child.askOps('/health/live')).status, 200)
    assert.ok(isLogged)
    const ofStorage = child.logged
      .split('\n')
      .filter((line) => line.includes(`"msg":"${SENTENCE}"`))
    assert.equal(ofStorage.length, 1)
  })

  test('is not written by the rules of the older one, though they would still fit', async () => {
    await using data = await makeDataFolder()
    await using child = await startChild(data.folder)
    change(data.folder, (database) => void database.pragma(`user_version = ${LATEST + 1}`))

    const { status } = await write(child)

    assert.equal(status, 503)
    change(data.folder, (database) =>
      assert.equal(database.prepare('select count(*) from theme_records').pluck().get(), 0),
    )
  })
})
