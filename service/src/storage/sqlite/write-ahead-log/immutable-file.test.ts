// Own process: SQLite reads `SQLITE_USE_URI` once.
import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { openForWriting } from '../connection/connection.ts'
import { Reader } from '../connection/reader.ts'
import { openImmutable } from './immutable-file.ts'
import { RefusedError } from '../../../errors/refused-error.ts'

test('reads without locks are refused once another process has opened the file', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'plumbline a#b?c%20-'))
  t.after(() => rm(folder, { recursive: true, force: true }))
  const file = join(folder, 'plumbline.db')
  const make = openForWriting(file, 'FULL')
  make.exec('create table meta (number); insert into meta values (1)')
  make.close()
  const still = openImmutable(file)
  t.after(() => still.close())
  const reader = new Reader(still)
  const read = () => reader.rows<[number]>('select number from meta')

  const before = read()
  const other = openForWriting(file, 'FULL')
  other.exec('insert into meta values (2)')

  assert.deepEqual(before, [[1]])
  assert.throws(read, RefusedError)
  assert.throws(() => reader.snapshot(() => 0), RefusedError)
  assert.throws(() => openImmutable(file), RefusedError)
  other.close()
  assert.throws(read, RefusedError)
  reader.replace(openImmutable(file))
  assert.deepEqual(read(), [[1], [2]])
})
