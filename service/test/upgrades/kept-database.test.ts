import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { DATABASE_VERSION } from '../../src/storage/sqlite/migrations/migrate.ts'
import { eventually } from '../_eventually.ts'
import { workplace, type Workplace } from '../cli/_cli.ts'
import { pretendDisk } from '../faults/_disk-state.ts'
import { versionOf } from '../faults/_versions.ts'
import { readFixture, unpackFixture } from './_fixture.ts'
import { compareAnswers, openUpgraded } from './_open-upgraded.ts'

const EARLIER = 18
const KEPT = `plumbline.db.before-${DATABASE_VERSION}`
const ASIDE = `plumbline.db.after-${DATABASE_VERSION}`

/** A workplace whose data folder an earlier version has filled. */
async function withEarlier(): Promise<{ place: Workplace; folder: string }> {
  const place = await workplace()
  const folder = join(place.folder, 'data')
  await unpackFixture(EARLIER, folder)
  return { place, folder }
}

describe('the database of before an upgrade', () => {
  test('is kept until the new version has been ready for the time of the setting', async () => {
    const { place: made, folder } = await withEarlier()
    await using place = made
    const kept = join(folder, KEPT)

    const first = await place.serve(['--port', '0'])
    const keptVersion = versionOf(folder, KEPT)
    await first.stop()
    const steps = first.output.stderr.matchAll(/The step \S+ to version (\d+) took \d+\.\d s\./g)
    const second = await place.serve(['--port', '0'], {
      PLUMBLINE_STORAGE_KEEP_BEFORE_UPGRADE_MINUTES: '0',
    })
    await eventually(() => assert.match(second.output.stderr, /was removed/))

    assert.equal(keptVersion, EARLIER)
    assert.match(
      first.output.stderr,
      new RegExp(
        `The database is migrated from version ${EARLIER} to version ${DATABASE_VERSION}\\.`,
      ),
    )
    assert.equal(Array.from(steps).at(-1)?.[1], String(DATABASE_VERSION))
    assert.ok(!existsSync(kept))
    const sentence = `data/${KEPT}, the database of before the upgrade, was removed: this version has been ready for 0 minutes.`
    assert.ok(second.output.stderr.includes(sentence), second.output.stderr)
  })

  test('comes back by "migrate --back", and what was stored since stays beside it', async () => {
    const { place: made, folder } = await withEarlier()
    await using place = made
    await place.run(['migrate'])
    await place.run(['app', 'create', '--user', '1', '--name', 'since the upgrade'])

    const asked = await place.run(['migrate', '--back'])
    const versionAfterAsking = versionOf(folder)
    const back = await place.run(['migrate', '--back', '--yes', '--json'])
    const versions = [versionOf(folder), versionOf(folder, ASIDE)]
    const names = await readdir(folder)

    assert.equal(asked.code, 1)
    assert.match(asked.stderr, /^The database of version 18, copied at .* UTC, replaces the one/)
    assert.equal(versionAfterAsking, DATABASE_VERSION)
    assert.equal(back.code, 0, back.stderr)
    assert.deepEqual(JSON.parse(back.stdout), {
      from: DATABASE_VERSION,
      to: EARLIER,
      aside: join('data', ASIDE),
    })
    assert.deepEqual(versions, [EARLIER, DATABASE_VERSION])
    assert.ok(!names.includes(KEPT))
    const fixture = readFixture(EARLIER)
    await using service = await openUpgraded(fixture, folder)
    assert.deepEqual(await compareAnswers(service, fixture), [])
  })

  test('gives no alarm an id that one had since the upgrade', async () => {
    const { place: made, folder } = await withEarlier()
    await using place = made
    const fixture = readFixture(EARLIER)
    const raise = async (strain: number): Promise<number> => {
      await using service = await openUpgraded(fixture, folder)
      const time = fixture.madeAt + 10_000
      const records = [{ station: 1006, time, values: { strain } }]
      const { status, text } = await service.ingest('theme', fixture.key, { records })
      assert.equal(status, 200, text)
      const newest = 'select max(id) from alarms'
      return (await service.storage.copying.rows<[number]>(newest))[0]![0]
    }
    const before = (await raise(0), await raise(9500))
    const back = await place.run(['migrate', '--back', '--yes'])
    const after = await raise(9500)

    assert.equal(back.code, 0, back.stderr)
    assert.equal(after, before + 1)
  })

  test('comes back when the new version was killed, and its log goes aside', async () => {
    const { place: made, folder } = await withEarlier()
    await using place = made
    const service = await place.serve(['--port', '0'])
    const whileServed = await place.run(['migrate', '--back', '--yes'])
    await service.stop('SIGKILL')
    const hadLog = existsSync(join(folder, 'plumbline.db-wal'))

    const back = await place.run(['migrate', '--back', '--yes'])
    const again = await place.run(['migrate', '--back', '--yes'])
    const names = await readdir(folder)

    assert.deepEqual(
      [whileServed.code, whileServed.stderr],
      [
        1,
        'The database is not replaced while another program uses the data folder. Stop the service and other commands first.\n',
      ],
    )
    assert.ok(hadLog)
    assert.equal(back.code, 0, back.stderr)
    assert.deepEqual(
      ['plumbline.db-wal', 'plumbline.mark', ASIDE, `${ASIDE}-wal`].map((name) =>
        names.includes(name),
      ),
      [false, false, true, true],
    )
    assert.match(
      again.stderr,
      /no database of before an upgrade is kept\. Restore a backup instead\./,
    )
    const fixture = readFixture(EARLIER)
    await using upgraded = await openUpgraded(fixture, folder)
    assert.deepEqual(await compareAnswers(upgraded, fixture), [])
  })

  test('is not kept with --without-copy', async () => {
    const { place: made, folder } = await withEarlier()
    await using place = made

    const { code } = await place.run(['migrate', '--without-copy'])

    assert.equal(code, 0)
    assert.equal(versionOf(folder), DATABASE_VERSION)
    assert.ok(!existsSync(join(folder, KEPT)))
  })

  test('needs its space on the disk: without it nothing is migrated', async (t) => {
    const { place: made, folder } = await withEarlier()
    await using place = made
    const { environment, pretend } = await pretendDisk('data', t, { freeBytes: 5 * 2 ** 20 })

    const refused = await place.runProcess(['migrate'], environment)
    const versionAfter = versionOf(folder)
    await pretend({ freeBytes: 100_000_000 })
    const migrated = await place.runProcess(['migrate'], environment)

    assert.equal(refused.code, 1)
    assert.match(
      refused.stderr,
      /^The database is not migrated from version 18 to \d+, because it cannot be copied before: that takes \d+ MB, and the disk has 5 MB free\. Free some space, then start again\. If you have a backup, run "plumbline migrate --without-copy"\.\n$/,
    )
    assert.equal(versionAfter, EARLIER)
    assert.equal(migrated.code, 0)
    assert.match(
      migrated.stderr,
      /^The database is copied to data\/plumbline\.db\.before-\d+ before/,
    )
  })
})
