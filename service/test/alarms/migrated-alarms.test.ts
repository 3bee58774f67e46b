import assert from 'node:assert/strict'
import { mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import Sqlite from 'better-sqlite3'
import { applySite } from '../../src/site/apply/apply.ts'
import { MIGRATIONS } from '../../src/storage/sqlite/migrations/all-migrations.ts'
import { openSqlite } from '../../src/storage/sqlite/open.ts'
import { listLives, Place, siteWith, type Instance } from './_place.ts'

const EPOCH = Date.UTC(2026, 0, 1)
const MINUTE = 60_000

/** The version of a database that has one version for all alarm states, and the steps to it. */
const VERSION = 21
const STEPS = 4

/** An open alarm of station 1 and a cleared one of station 2, raised at minute 0 at level 2. */
const ALARMS = [
  { source: '1', state: 0 },
  { source: '2', state: 3 },
]

/** A data folder with alarms, as a program of that version left it. */
async function makeOldFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'plumbline-alarms-'))
  const database = new Sqlite(join(folder, 'plumbline.db'))
  for (const { statements } of MIGRATIONS.slice(0, STEPS))
    for (const statement of statements) database.exec(statement)
  const content = 'Value: 60mm'
  database.prepare('insert into alarm_templates values (1, ?, ?)').run(content, content)
  for (const [at, { source, state }] of ALARMS.entries()) {
    const id = at + 1
    database.prepare('insert into alarm_source_names values (?, ?, ?)').run(id, `S${id}`, `s${id}`)
    database
      .prepare(`insert into alarms values (?, 1, ?, ?, 2, 1, '3007', 2, 1, '', 1, ?, ?, ?)`)
      .run(id, source, id, state, EPOCH / 1000, EPOCH / 1000)
    database
      .prepare(`insert into alarm_details values (?, 0, 'plumbline', '30070002', 0, 2, ?, ?)`)
      .run(id, content, '2026-01-01 00:00:00')
    const remembered = {
      stateCode: state,
      level: 2,
      content,
      count: 1,
      startTime: EPOCH,
      endTime: EPOCH,
      items: ['v'],
      violationAt: EPOCH,
      normalAt: null,
      normalCount: 0,
    }
    database
      .prepare(`insert into alarm_states values (?, '3007', ?, ?, ?)`)
      .run(source, id, JSON.stringify(remembered), 7 + at)
  }
  database.exec('update alarm_version set version = 8, writer = 99')
  database.pragma(`user_version = ${VERSION}`)
  database.close()
  return folder
}

const send = async ({ ingest }: Instance, station: number, minute: number, v: number) => {
  const time = EPOCH + minute * MINUTE
  const { rejected } = await ingest.theme([{ station, time, values: { v } }])
  assert.deepEqual(rejected, [])
}

test('alarms of a folder with one version of all alarm states go on where they were', async () => {
  await using place = new Place(await makeOldFolder(), Date.now)
  {
    await using storage = await openSqlite(place.folder)
    await applySite(storage, { text: siteWith(), fileName: 'site.yaml' })
    assert.deepEqual(await storage.inspect(), { damaged: [], stale: [] })
  }
  await using one = await place.open()
  await using other = await place.open()

  await send(one, 1, 1, 60)
  await send(other, 1, 2, 0)
  await send(other, 2, 1, 60)
  await send(one, 3, 1, 20)

  const lives = await Promise.all([1, 2, 3].map((station) => listLives(one.storage, station)))
  assert.deepEqual(
    lives.map((alarms) => alarms.map(({ level, count, steps }) => ({ level, count, steps }))),
    [
      [{ level: 2, count: 2, steps: [0, 1, 3] }],
      [
        { level: 2, count: 1, steps: [0] },
        { level: 2, count: 1, steps: [0] },
      ],
      [{ level: 3, count: 1, steps: [0] }],
    ],
  )
})
