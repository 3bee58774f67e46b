import assert from 'node:assert/strict'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { DATABASE_VERSION } from '../../src/storage/sqlite/migrations/migrate.ts'
import { workplace } from '../cli/_cli.ts'
import { fixtureVersions, readFixture, unpackFixture } from './_fixture.ts'
import { compareAnswer, compareAnswers, openUpgraded } from './_open-upgraded.ts'

const FIRST_VERSION = 18

test('every version of the database has a fixture', () => {
  const versions = Array.from(
    { length: DATABASE_VERSION - FIRST_VERSION + 1 },
    (_, at) => FIRST_VERSION + at,
  )

  assert.deepEqual(
    fixtureVersions(),
    versions,
    'run "node scripts/run.js scripts/write-upgrade-fixture.ts" (CONTRIBUTING.md, "Add a migration")',
  )
})

describe('the data folder of an earlier version', () => {
  for (const version of fixtureVersions())
    test(`${version} answers as its program did, with its tokens and keys`, async () => {
      const fixture = readFixture(version)
      await using place = await workplace()
      const folder = join(place.folder, 'data')
      await unpackFixture(version, folder)

      {
        await using service = await openUpgraded(fixture, folder)
        const found = await compareAnswers(service, fixture)
        const tokens = await service.postForm('/oauth2/token', fixture.application, {
          grant_type: 'client_credentials',
        })
        const stored = await service.ingest('theme', fixture.key, {
          records: [{ station: 1001, time: fixture.madeAt, values: { strain: 1 } }],
        })
        const confirmed = await service.call('/manage/v1/alarms/2/confirm', {
          method: 'POST',
          headers: {
            authorization: `Bearer ${fixture.token}`,
            'content-type': 'application/json',
          },
          body: '{"comment":"seen"}',
        })
        await place.run(['undo', String(fixture.deletion.change)])
        const undone = await compareAnswer(service, fixture.token, fixture.deletion.before)

        assert.deepEqual(found, [])
        assert.equal(tokens.status, 200)
        assert.deepEqual(stored.json(), { accepted: 1, replaced: 0, rejected: [] })
        assert.equal(confirmed.json().state, 4)
        assert.deepEqual(undone, [])
      }
      const doctor = await place.run(['doctor'])
      assert.equal(doctor.code, 0, doctor.stdout + doctor.stderr)
    })
})
