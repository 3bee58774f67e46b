// Own process: SQLite reads once how files may be named.
import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { openForWriting } from '../connection/connection.ts'
import { Reader } from '../connection/reader.ts'
import { openStill } from './still-file.ts'
import { RefusedError } from '../../../errors/refused-error.ts'

test('what is read of a file as it lies is refused once another process has opened it', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'plumbline a#b?c%20-'))
  t.after(() => rm(folder, { recursive: true, force: true }))
  const file = join(folder, 'plumbline.db')
  const make = openForWriting(file, 'FULL')
  make.exec('create table numbers (number); insert into numbers values (1)')
  make.close()
  const still = openStill(file)
  t.after(() => still.close())
  const reader = new Reader(still)
  const read = () => reader.rows<[number]>('select number from numbers')

  const before = read()
  const other = openForWriting(file, 'FULL')
  other.exec('insert into numbers values (2)')

  assert.deepEqual(before, [[1]])
  assert.throws(read, RefusedError)
  assert.throws(() => reader.snapshot(() => 0), RefusedError)
  assert.throws(() => openStill(file), RefusedError)
  other.close()
  assert.throws(read, RefusedError)
  reader.replace(openStill(file))
  assert.deepEqual(read(), [[1], [2]])
})
