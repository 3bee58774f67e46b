import assert from 'node:assert/strict'
import { closeSync, openSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { BackupFolder } from '../../src/backup/backup-folder.ts'
import { copyDataFolder } from '../../src/backup/copy-data-folder.ts'
import { makeBackup } from '../../src/backup/make-backup.ts'
import { workplace, wordsOf, type Workplace } from '../cli/_cli.ts'
import { versionOf } from '../faults/_versions.ts'
import { fixtureVersions, readFixture, unpackFixture } from '../upgrades/_fixture.ts'
import { compareAnswers, openUpgraded } from '../upgrades/_open-upgraded.ts'

/** The first version that has all tables that a backup knows. */
const FIRST_VERSION = 21

const NEVER = new AbortController().signal

const warn = (sentence: string): never => assert.fail(sentence)

/** A backup of a data folder that today's program does not migrate before, as one of its time made it. */
async function backUpAsItIs(place: Workplace, dataFolder: string): Promise<void> {
  await using stack = new AsyncDisposableStack()
  const descriptor = openSync(join(dataFolder, 'plumbline.db'), 'r')
  stack.defer(() => closeSync(descriptor))
  const folder = stack.use(await BackupFolder.open(join(place.folder, 'backups'), dataFolder))
  const shared = { dataFolder, signal: NEVER, now: Date.now }
  // The database knows of no backup, and notes none: its tables are those of another version.
  const storage = { copying: { rows: async () => [], write: async () => {} } as never }
  const copy = { ...shared, folder, storage, descriptor, isVerified: false, warn, onDamage: warn }
  await makeBackup({
    ...shared,
    folder,
    copyDatabase: (to, name) => copyDataFolder({ ...copy, onProgress: () => {} }, to, name),
    settingsFile: join(dataFolder, 'plumbline.yaml'),
    mappings: [],
    withoutSecrets: false,
    program: '0.0.1',
  })
}

describe('a backup of an earlier version', () => {
  for (const version of fixtureVersions().filter((one) => one >= FIRST_VERSION))
    test(`${version} is migrated by its restore, and answers as its program did`, async () => {
      const fixture = readFixture(version)
      await using place = await workplace()
      const [data, restored] = [join(place.folder, 'data'), join(place.folder, 'restored')]
      await unpackFixture(version, data)
      await backUpAsItIs(place, data)
      assert.equal(versionOf(data), version)

      const result = await place.run(['restore', 'backups', '--data', 'restored'])

      assert.equal(result.code, 0, wordsOf(result))
      await using service = await openUpgraded(fixture, restored)
      assert.deepEqual(await compareAnswers(service, fixture), [])
    })
})
