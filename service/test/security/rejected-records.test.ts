import assert from 'node:assert/strict'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import Sqlite from 'better-sqlite3'
import { openSqlite } from '../../src/storage/sqlite/open.ts'
import { makeOlder } from '../faults/_older.ts'
import { HEADER, row, watched } from '../ingest/_watched.ts'

const WRONG = 'x'.repeat(1000)

test('a broken logger pushes out what it sent itself, not what others did, and the log says so', async () => {
  await using place = await watched({
    folders: ['incoming', 'broken'],
    settings: {
      'ingest.keepRejectedMegabytesPerSource': 0.1,
      'ingest.keepRejectedMegabytes': 0.15,
    },
  })
  await mkdir(place.path('../broken'))
  await writeFile(place.path('a.csv'), `${HEADER}wrong\n${row(0, 1)}`)
  await place.start()
  await place.until(() => place.strains(), [1])

  for (const file of ['b', 'c', 'd', 'e']) {
    const lines = Array.from({ length: 100 }, (_, at) => `${file}${at} ${WRONG}\n`).join('')
    await writeFile(place.path(`../broken/${file}.csv`), `${HEADER}${lines}`)
  }
  await place.until(() => place.logged('"refused":100'), 4)

  const { rejects } = place.service.storage
  const kept = await rejects.list({ limit: 1000 })
  const origins = kept.map(({ origin }) => origin)
  assert.equal(origins.filter((origin) => origin === `file ${place.path('a.csv')}`).length, 1)
  const bytes = kept.reduce((sum, { payload }) => sum + payload.length, 0)
  assert.ok(bytes <= 110_000 && bytes > 50_000, `${bytes} bytes are kept`)
  assert.equal(kept[0]!.place, 'line 101')
  const dropped = (await rejects.count()).reduce((sum, one) => sum + one.dropped, 0)
  assert.equal(dropped + kept.length, 401)
  const line = place.service.logged.find((one) => one.includes('were dropped for newer ones'))
  const { level, source } = JSON.parse(line!)
  assert.deepEqual([level, source], [40, `file ${join(place.path('..'), 'broken')}`])
})

test('rejected records from before they were counted are bounded too', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'plumbline-'))
  t.after(() => rm(folder, { recursive: true, force: true }))
  await makeOlder(join(folder, 'data'))
  const database = new Sqlite(join(folder, 'data', 'plumbline.db'))
  const insert = database.prepare(
    `insert into rejects (origin, place, reason, payload, received_at) values (?, ?, 'wrong', ?, 0)`,
  )
  for (let at = 0; at < 20; at++) insert.run('file /a/x.csv', `line ${at}`, Buffer.alloc(10_000))
  database.close()
  await using storage = await openSqlite(join(folder, 'data'), { migrating: 'allow' })

  const refusal = {
    origin: 'file /a/y.csv',
    place: 'line 1',
    reason: 'wrong',
    payload: Buffer.from('x'),
    receivedAt: 1,
  }
  const dropped = await storage.rejects.add([refusal], { records: 100, sourceBytes: 100_000 })

  assert.deepEqual(dropped, [{ source: 'file /a', dropped: 12 }])
  assert.equal((await storage.rejects.list({ limit: 100 })).length, 9)
})
