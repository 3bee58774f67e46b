import assert from 'node:assert/strict'
import { existsSync, watch } from 'node:fs'
import { cp, readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import test from 'node:test'
import { DATABASE_VERSION } from '../../src/storage/sqlite/migrations/migrate.ts'
import { workplace, type Workplace } from '../cli/_cli.ts'
import { versionOf } from '../faults/_versions.ts'
import { randomNumbers, runs } from '../_random.ts'
import { fixtureVersions, readFixture, unpackFixture } from './_fixture.ts'
import { compareAnswers, openUpgraded } from './_open-upgraded.ts'

const KILLS = runs(50, 3)
const KEPT = `plumbline.db.before-${DATABASE_VERSION}`
const OLDER = fixtureVersions().filter((version) => version < DATABASE_VERSION)

test(`${KILLS} upgrades killed at random moments lose nothing, and the way back stands`, async (t) => {
  const random = randomNumbers()
  const states = new Map<string, number>()
  const changes = await countChanges()
  const chooseMoment = () => 1 + Math.floor(random() * changes)

  for (let kills = 0; kills < KILLS;) {
    const version = OLDER[Math.floor(random() * OLDER.length)]!
    await using place = await workplace()
    const folder = join(place.folder, 'data')
    await unpackFixture(version, folder)
    const before = await readFile(join(folder, 'plumbline.db'))

    const state = await killMigration(place, folder, chooseMoment())
    states.set(state, (states.get(state) ?? 0) + 1)
    if (state !== 'not reached') kills++
    // Every other time the upgrade is killed twice.
    if (kills % 2 === 1) await killMigration(place, folder, chooseMoment())
    const fixture = readFixture(version)
    {
      await using service = await openUpgraded(fixture, folder)
      assert.deepEqual(await compareAnswers(service, fixture), [], `version ${version}, ${state}`)
    }

    assert.ok((await readFile(join(folder, KEPT))).equals(before), `version ${version}, ${state}`)
  }

  t.diagnostic(
    `of ${changes} changes: ` +
      Array.from(states, ([state, count]) => `${count} ${state}`).join(', '),
  )
})

/** How many changes of the folder a whole migration of the oldest version makes. */
async function countChanges(): Promise<number> {
  await using place = await workplace()
  const folder = join(place.folder, 'data')
  await unpackFixture(OLDER[0]!, folder)
  let changes = 0
  const watcher = watch(folder, () => changes++)
  await place.runProcess(['migrate'])
  watcher.close()
  return changes
}

/** Kills a migration at a change that it makes in the folder; returns how far it had come. */
async function killMigration(place: Workplace, folder: string, moment: number): Promise<string> {
  let changes = 0
  const migration = place.begin(['migrate'])
  const watcher = watch(folder, () => {
    if (++changes === moment) migration.kill()
  })
  const { code } = await migration.ended
  watcher.close()
  if (code !== null) return 'not reached'
  if (existsSync(join(folder, KEPT))) return `at version ${await versionInCopy(folder)}`
  return existsSync(join(folder, `${KEPT}.part`)) ? 'while copying' : 'before the copy'
}

/** The version of a database, whose log is left as the kill has left it. */
async function versionInCopy(folder: string): Promise<number> {
  const copy = `${folder}-copy`
  await cp(folder, copy, { recursive: true })
  const version = versionOf(copy)
  await rm(copy, { recursive: true })
  return version
}
