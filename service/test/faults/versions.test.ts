import assert from 'node:assert/strict'
import { readdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { holdServing } from '../../src/storage/sqlite/connection/serving-lock.ts'
import { startChild, type Child } from '../_child.ts'
import { callHttps } from '../_service.ts'
import { SITE } from '../_site.ts'
import { workplace } from '../cli/_cli.ts'
import { MADE_UP } from './_test-migrations.ts'
import {
  change,
  CURRENT,
  makeCurrent,
  makePreRelease,
  NEWER,
  NEWER_PROGRAM,
  versionOf,
} from './_versions.ts'
import { until } from './_raw.ts'
import { KEY, makeDataFolder, TOKEN } from './_site.ts'

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
  test('is left as it is by every command, with an error', async () => {
    await using place = await workplace()
    const folder = join(place.folder, 'data')
    await makeCurrent(folder)
    await writeFile(join(place.folder, 'site.yaml'), SITE)

    for (const command of [
      ['app', 'list'],
      ['app', 'create', '--user', '1'],
      ['key', 'create', '--name', 'k'],
      ['site', 'apply', 'site.yaml'],
      ['doctor'],
      ['seal'],
    ]) {
      const { code, stdout, stderr } = await place.runProcess(command, NEWER_PROGRAM)
      assert.deepEqual(
        [code, stdout, stderr],
        [
          1,
          '',
          `The database has version ${CURRENT}, this command needs ${NEWER}: run "plumbline migrate" or start the service.\n`,
        ],
      )
    }
    assert.equal(versionOf(folder), CURRENT)
  })

  test('is migrated by plumbline migrate, which prints its steps', async () => {
    await using place = await workplace()
    const folder = join(place.folder, 'data')
    await makeCurrent(folder)

    const dry = await place.runProcess(['migrate', '--dry-run'], NEWER_PROGRAM)
    const versionAfterDry = versionOf(folder)
    const real = await place.runProcess(['migrate'], NEWER_PROGRAM)
    const again = await place.runProcess(['migrate'], NEWER_PROGRAM)

    assert.equal(versionAfterDry, CURRENT)
    for (const { code, stdout } of [dry, real]) {
      assert.equal(code, 0)
      assert.match(
        stdout,
        new RegExp(`^The database has version ${CURRENT}; this program needs version ${NEWER}\\.`),
      )
      for (const { name, does } of MADE_UP) assert.match(stdout, new RegExp(`${name} +${does}`))
    }
    assert.match(dry.stdout, /\(dry run: nothing was changed\)\n$/)
    assert.match(real.stdout, new RegExp(`The database was migrated to version ${NEWER}\\.\n$`))
    assert.equal(versionOf(folder), NEWER)
    assert.equal(
      again.stdout,
      `The database has version ${NEWER}, the version that this program needs.\n`,
    )
  })

  test('is migrated by a service that starts', async () => {
    await using place = await workplace()
    const folder = join(place.folder, 'data')
    await makeCurrent(folder)

    const service = await place.serve(['--port', '0'], NEWER_PROGRAM)
    await service.stop()

    assert.equal(versionOf(folder), NEWER)
  })

  test('is not migrated while an older service serves it', async () => {
    await using place = await workplace()
    const folder = join(place.folder, 'data')
    await makeCurrent(folder)
    const older = holdServing(folder)

    const [migrated, served] = await Promise.all([
      place.runProcess(['migrate'], NEWER_PROGRAM),
      place.runProcess(['serve', '--port', '0'], { PLUMBLINE_OPS_PORT: '0', ...NEWER_PROGRAM }),
    ])
    older?.[Symbol.dispose]()

    const sentence = `The database has version ${CURRENT}, and a Plumbline of that version serves it: stop that one before you migrate to version ${NEWER}.\n`
    assert.deepEqual(
      [migrated, served].map(({ code, stderr }) => [code, stderr]),
      [
        [1, sentence],
        [1, sentence],
      ],
    )
    assert.equal(versionOf(folder), CURRENT)
    assert.equal((await place.runProcess(['migrate'], NEWER_PROGRAM)).code, 0)
  })
})

test('a database that a running service serves is not migrated', async () => {
  await using place = await workplace()
  const folder = join(place.folder, 'data')
  await place.serve(['--port', '0'])

  const { code, stderr } = await place.runProcess(['migrate'], NEWER_PROGRAM)

  assert.equal(code, 1)
  assert.match(stderr, /and a Plumbline of that version serves it: stop that one/)
  assert.equal(versionOf(folder), CURRENT)
})

for (const version of [1, 16])
  test(`a database of a pre-release, version ${version}, is refused and stays as it is`, async () => {
    await using place = await workplace()
    await makePreRelease(join(place.folder, 'data'), version)

    const ends = []
    for (const command of [
      ['app', 'list'],
      ['doctor'],
      ['migrate'],
      ['migrate', '--dry-run'],
      ['serve'],
    ])
      ends.push(
        await place.runProcess(command, { PLUMBLINE_OPS_PORT: '0', PLUMBLINE_HTTP_PORT: '0' }),
      )

    for (const { code, stdout, stderr } of ends)
      assert.deepEqual(
        [code, stdout, stderr],
        [
          1,
          '',
          `The database has version ${version}, which a pre-release of Plumbline wrote and this program cannot read: start with an empty data folder and import the data again.\n`,
        ],
      )
    assert.equal(versionOf(join(place.folder, 'data')), version)
  })

test('plumbline migrate makes no database where there is none', async () => {
  await using place = await workplace()

  const { code, stderr } = await place.run(['migrate', '--data', 'none'])

  assert.deepEqual([code, stderr], [1, 'There is no database in none: nothing to migrate.\n'])
  assert.deepEqual(await readdir(place.folder), [])
})

describe('a database that a newer program migrates beside a running service', () => {
  const SENTENCE = `The database was migrated to version ${CURRENT + 1} by a newer Plumbline; this one knows ${CURRENT}: install that version.`

  test('answers readers and writers 503, is not ready, and is logged once', async () => {
    await using data = await makeDataFolder()
    await using child = await startChild(data.folder)
    const before = [await read(child), await write(child)].map(({ status }) => status)

    change(data.folder, (database) => {
      database.exec('alter table tokens rename to access_tokens')
      database.exec('alter table theme_records rename to records_of_themes')
      database.pragma(`user_version = ${CURRENT + 1}`)
    })
    // At once and before the next look at the version.
    const after = [await read(child), await write(child)]
    const ready = await child.getOps('/health/ready')
    const isLogged = await until(async () => child.logged.includes(SENTENCE), 5)
    await until(async () => false, 1.5)

    assert.deepEqual(before, [200, 200])
    for (const { status, headers, json } of after) {
      assert.equal(status, 503)
      assert.deepEqual(json(), { name: 'Unavailable', message: SENTENCE })
      assert.match(String(headers['retry-after']), /^[1-9]\d*$/)
    }
    assert.deepEqual([ready.status, JSON.parse(ready.text).message], [503, SENTENCE])
    assert.equal((await child.getOps('/health/live')).status, 200)
    assert.ok(isLogged)
    const ofStorage = child.logged
      .split('\n')
      .filter((line) => line.includes(`"msg":"${SENTENCE}"`))
    assert.equal(ofStorage.length, 1)
  })

  test('is not written by the rules of the older one, though they would still fit', async () => {
    await using data = await makeDataFolder()
    await using child = await startChild(data.folder)
    change(data.folder, (database) => void database.pragma(`user_version = ${CURRENT + 1}`))

    const { status } = await write(child)

    assert.equal(status, 503)
    change(data.folder, (database) =>
      assert.equal(database.prepare('select count(*) from theme_records').pluck().get(), 0),
    )
  })
})
