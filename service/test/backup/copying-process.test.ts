import assert from 'node:assert/strict'
import { join } from 'node:path'
import { test } from 'node:test'
import { pino } from 'pino'
import { ContinuousCopy } from '../../src/backup/continuous/continuous-copy.ts'
import { openSqlite } from '../../src/storage/sqlite/open.ts'
import { eventually } from '../_eventually.ts'
import { makeCopiedFolder } from './_copied.ts'

// Of a failing start Node emits some errors and throws others, as it throws that of a path with NUL.
for (const [name, problem] of [
  ['missing', /could not be started: .*ENOENT/],
  ['\0', /could not be started: .*without null bytes/],
] as const)
  test(`a process that copies and cannot be started is named, and is started later (${problem})`, async () => {
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

    process.execPath = join(data.folder, name)
    try {
      copy.start()
    } finally {
      process.execPath = execPath
    }
    await eventually(() => assert.match(copy.state.problem ?? '', problem))

    await eventually(() => assert.equal(copy.state.state, 'follows'))
    assert.equal(copy.state.problem, undefined)
  })
