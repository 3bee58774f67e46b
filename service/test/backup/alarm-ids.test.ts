import assert from 'node:assert/strict'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { workplace, type Workplace } from '../cli/_cli.ts'
import { eventually } from '../_eventually.ts'
import { newDatabase } from '../_postgres.ts'
import { withService, type TestService } from '../_service.ts'
import { SITE } from '../_site.ts'
import { openSqlite } from '../../src/storage/sqlite/open.ts'
import { makeCopiedFolder, untilCopied } from './_copied.ts'

const BELOW_EVERY_NEW_ID = 100_000

const idsOf = async ({ storage }: Pick<TestService, 'storage'>): Promise<number[]> =>
  (await storage.copying.rows<[number]>('select id from alarms order by id')).map(([id]) => id)

/** Raises an alarm of a station that has none; returns the ids of all alarms. */
async function raise(service: TestService, station: number): Promise<number[]> {
  const before = (await idsOf(service)).length
  const values = station === 2001 ? { waterLevel: 7 } : { strain: 250 }
  const records = [{ station, time: Date.now(), values }]
  const { status, text } = await service.ingest('theme', 'plk_test_test', { records })
  assert.deepEqual([status, JSON.parse(text).rejected], [200, []])
  return eventually(async () => {
    const ids = await idsOf(service)
    assert.equal(ids.length, before + 1)
    return ids
  })
}

/** Raises an alarm, makes a backup and raises another alarm, which the backup does not have. */
async function loseAnAlarm(place: Workplace, storageUrl?: string): Promise<number[]> {
  const folder = join(place.folder, 'lost')
  const url = storageUrl === undefined ? {} : { storageUrl }
  const flags = storageUrl === undefined ? [] : ['--storage', storageUrl]
  await using service = await withService({ site: SITE, folder, ...url })
  await service.createKey()
  await raise(service, 1001)
  await place.json('backup', 'backups', '--data', folder, ...flags)
  return await raise(service, 1002)
}

describe('an alarm after a restore', () => {
  test('has an id that no lost alarm had', async () => {
    await using place = await workplace()
    const lost = await loseAnAlarm(place)

    await place.json('restore', 'backups', '--data', 'restored')
    await using service = await withService({ folder: join(place.folder, 'restored') })
    const [known, next = 0] = await raise(service, 2001)

    assert.deepEqual([lost, known], [[1, 2], 1])
    assert.ok(next > BELOW_EVERY_NEW_ID && next < 2 * BELOW_EVERY_NEW_ID, `${next}`)
  })

  test('has such an id in PostgreSQL', async () => {
    await using place = await workplace()
    await using database = await newDatabase()
    await using empty = await newDatabase()
    const lost = await loseAnAlarm(place, database.url)

    const to = ['--data', 'restored', '--storage', empty.url]
    await place.json('restore', 'backups', ...to)
    const folder = join(place.folder, 'restored')
    await using service = await withService({ folder, storageUrl: empty.url })
    const [known, next = 0] = await raise(service, 2001)

    assert.deepEqual([lost, known], [[1, 2], 1])
    assert.ok(next > BELOW_EVERY_NEW_ID && next < 2 * BELOW_EVERY_NEW_ID, `${next}`)
  })

  test('has such an id after the restore of a continuous copy', async () => {
    await using data = await makeCopiedFolder()
    await using place = await workplace()
    await using child = await data.serve()
    await untilCopied(child)

    await place.json('restore', data.copy, '--data', 'restored')

    await using storage = await openSqlite(join(place.folder, 'restored'))
    const last = await storage.copying.findLastId('alarms', 'id')
    assert.ok(last >= BELOW_EVERY_NEW_ID && last < 2 * BELOW_EVERY_NEW_ID, `${last}`)
  })
})
