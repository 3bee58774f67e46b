import assert from 'node:assert/strict'
import { join } from 'node:path'
import { test } from 'node:test'
import { pino } from 'pino'
import { ContinuousCopy } from '../../src/backup/continuous/continuous-copy.ts'
import { openSqlite } from '../../src/storage/sqlite/open.ts'
import { eventually } from '../_eventually.ts'
import { makeCopiedFolder } from './_copied.ts'

test('a process that copies and cannot be started is named, and is started later', async () => {
  await using data = await makeCopiedFolder()
  const options = {
    dataFolder: data.folder,
    settingsFile: join(data.folder, 'plumbline.yaml'),
    mappings: [],
    to: data.copy,
    seconds: 1,
    keepDays: 1,
  }
  await using copy = new ContinuousCopy(options, pino({ level: 'silent' }))
  await using _storage = await openSqlite(data.folder)
  const { execPath } = process

  process.execPath = join(data.folder, 'missing')
  copy.start()
  process.execPath = execPath
  await eventually(() => assert.match(copy.state.problem ?? '', /could not be started: .*ENOENT/))

  await eventually(() => assert.equal(copy.state.state, 'follows'))
  assert.equal(copy.state.problem, undefined)
})
