import assert from 'node:assert/strict'
import { mkdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { startChild, type Child } from '../_child.ts'
import { callHttps } from '../_service.ts'
import { workplace } from '../cli/_cli.ts'
import { CURRENT, makeCurrent, NEWER, NEWER_PROGRAM } from './_versions.ts'
import { fullDisk } from './_full-disk.ts'
import { until } from './_raw.ts'
import { KEY, makeDataFolder, TOKEN } from './_site.ts'

const REASONS = {
  bytes: 'the disk is full',
  inodes: 'the disk has no free inodes for a further file',
} as const

const record = { station: 1, time: '2026-01-01 00:00:00', values: { v: 1 } }

const write = (child: Child) =>
  callHttps(`${child.origin}/ingest/v1/theme`, child.certificate, {
    method: 'POST',
    headers: { authorization: `Bearer ${KEY}`, 'content-type': 'application/json' },
    body: JSON.stringify({ records: [record] }),
  })

const read = (child: Child) =>
  callHttps(
    `${child.origin}/api/v1/stations/theme/data?stations=1&startTime=2026-01-01%2000:00:00&endTime=2026-01-02%2000:00:00&token=${TOKEN}`,
    child.certificate,
    {},
  )

const countRecords = async (child: Child): Promise<number> =>
  (await read(child)).json().stations[0].data.length

describe('a service that starts on a full disk', () => {
  for (const lack of ['bytes', 'inodes'] as const)
    test(`without ${lack} serves readers, responds 503 to writers, and recovers without a restart`, async (t) => {
      const full = `Nothing can be stored at the moment: ${REASONS[lack]}.`
      await using data = await makeDataFolder()
      await using first = await startChild(data.folder)
      assert.equal((await write(first)).status, 200)
      await first.stop()
      const { environment, flag } = await fullDisk(data.folder, t, lack)

      await using child = await startChild(data.folder, environment)
      const responses = [await read(child), await write(child)]
      const ready = await child.getOps('/health/ready')
      const live = await child.getOps('/health/live')
      const said = child.logged
      await rm(flag)
      const isHealed = await until(
        async () => (await child.getOps('/health/ready')).status === 200,
        20,
      )
      const healed = [await write(child), await read(child)]

      assert.deepEqual(
        responses.map(({ status }) => status),
        [200, 503],
      )
      assert.equal(responses[0]!.json().stations[0].data.length, 1)
      assert.deepEqual(responses[1]!.json(), { name: 'Unavailable', message: full })
      assert.match(String(responses[1]!.headers['retry-after']), /^[1-9]\d*$/)
      assert.deepEqual([ready.status, JSON.parse(ready.text).message], [503, full])
      assert.equal(live.status, 200)
      assert.ok(said.includes(`"msg":"${full}"`), said)
      assert.ok(!said.includes('    at '), said)
      assert.ok(isHealed)
      assert.deepEqual(
        healed.map(({ status }) => status),
        [200, 200],
      )
      assert.ok(await until(async () => child.logged.includes('can be read and written again'), 5))
      const noLink = `No link for the first administrator can be printed: ${full}`
      assert.ok(child.logged.includes(noLink), child.logged)
    })

  test('keeps what a killed service left in the write-ahead log', async (t) => {
    await using data = await makeDataFolder()
    await using first = await startChild(data.folder)
    assert.equal((await write(first)).status, 200)
    await first.kill()
    const { environment, flag } = await fullDisk(data.folder, t)

    await using child = await startChild(data.folder, environment)
    const count = await countRecords(child)
    await rm(flag)
    await until(async () => (await child.getOps('/health/ready')).status === 200, 20)

    assert.equal(count, 1)
    assert.equal((await write(child)).status, 200)
    assert.equal(await countRecords(child), 1)
  })
})

describe('a full disk is one error', () => {
  test('when a database is to be made', async (t) => {
    await using place = await workplace()
    const folder = join(place.folder, 'data')
    const { environment } = await fullDisk(folder, t)

    for (const command of [
      ['serve', '--port', '0'],
      ['key', 'create', '--name', 'k'],
      ['migrate'],
    ]) {
      const { code, stdout, stderr } = await place.runProcess(command, environment)
      assert.deepEqual([code, stdout], [1, ''])
      assert.match(stderr, /^[^\n]*(full|There is no database)[^\n]*\n$/)
    }
  })

  test('when a database is to be migrated', async (t) => {
    await using place = await workplace()
    const folder = join(place.folder, 'data')
    await makeCurrent(folder)
    const { environment } = await fullDisk(folder, t)

    for (const command of ['serve', 'migrate']) {
      const { code, stderr } = await place.runProcess([command], {
        ...environment,
        ...NEWER_PROGRAM,
        PLUMBLINE_OPS_PORT: '0',
        PLUMBLINE_HTTP_PORT: '0',
      })
      assert.deepEqual(
        [code, stderr],
        [
          1,
          `The database cannot be migrated from version ${CURRENT} to ${NEWER}: the disk is full. Free some space, then start again.\n`,
        ],
      )
    }
  })

  test('when the first start has no room for a certificate', async (t) => {
    await using data = await makeDataFolder()
    await rm(join(data.folder, 'tls'), { recursive: true })
    await using place = await workplace()
    const { environment } = await fullDisk(data.folder, t)

    const { code, stderr } = await place.runProcess(['serve', '--data', data.folder], {
      ...environment,
      PLUMBLINE_OPS_PORT: '0',
      PLUMBLINE_HTTP_PORT: '0',
    })

    assert.equal(code, 1)
    assert.match(stderr, /ENOSPC.*Free some space and try again\.\n$/)
    assert.ok(!stderr.includes('    at '), stderr)
  })
})

test('a folder in which no file can be made is one error when a database is to be made or migrated', async (t) => {
  await using place = await workplace()
  const folder = join(place.folder, 'data')
  await mkdir(folder, { mode: 0o700 })
  const { environment, flag, fill } = await fullDisk(folder, t, 'inodes')
  const ports = { PLUMBLINE_OPS_PORT: '0', PLUMBLINE_HTTP_PORT: '0' }

  const made = await place.runProcess(['serve', '--data', folder], { ...environment, ...ports })
  await rm(flag)
  await rm(folder, { recursive: true })
  await makeCurrent(folder)
  await fill()
  const migrated = await place.runProcess(['serve', '--data', folder], {
    ...environment,
    ...NEWER_PROGRAM,
    ...ports,
  })

  const because = `${REASONS.inodes}. Delete some files, then start again.\n`
  assert.deepEqual([made.code, made.stderr], [1, `The database cannot be made: ${because}`])
  assert.deepEqual(
    [migrated.code, migrated.stderr],
    [1, `The database cannot be migrated from version ${CURRENT} to ${NEWER}: ${because}`],
  )
})
