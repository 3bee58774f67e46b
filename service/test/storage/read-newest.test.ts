import assert from 'node:assert/strict'
import { join } from 'node:path'
import { test } from 'node:test'
import { zone } from '../../src/domain/time/local-time.ts'
import { openForReading } from '../../src/storage/sqlite/connection/connection.ts'
import { openSqlite } from '../../src/storage/sqlite/open.ts'
import { readNewest } from '../../src/storage/sql/records/read-newest.ts'
import { AsyncReader } from '../../src/storage/sqlite/connection/async-reader.ts'
import { Reader } from '../../src/storage/sqlite/connection/reader.ts'
import { recordChecks } from '../../src/storage/sqlite/integrity/record-checks.ts'
import { loadPart } from '../../src/storage/sql/sealed-days/sealed-parts.ts'
import type { SqlReader } from '../../src/storage/sql/engine.ts'
import { unsealPart } from '../../src/storage/sql/sealed-days/unseal-part.ts'
import { Writer } from '../../src/storage/sqlite/connection/writer.ts'
import { EVER, gather, minutes, newPlace, recordAt, rowsOf } from './_place.ts'

const DAY = 86_400_000
const SPAN = { kind: 'theme', source: 1, start: 0, until: DAY } as const
const QUERY = { kind: 'theme', source: 1, shape: 'flat', ...EVER } as const

/** Runs a function after each snapshot. */
class Interrupted extends AsyncReader {
  afterSnapshot = (): void => {}

  override async snapshot<Result>(read: (reader: SqlReader) => Promise<Result>): Promise<Result> {
    const result = await super.snapshot(read)
    this.afterSnapshot()
    return result
  }
}

for (const limit of [1, 2, 100])
  test(`a day that is opened while the newest ${limit} are read does not hide them`, async () => {
    await using place = await newPlace((folder) => openSqlite(folder, { synchronous: 'OFF' }))
    await using storage = await place.open()
    const times = minutes(100, 0)
    await storage.records.write({ theme: rowsOf(1, times) })
    await storage.sealedDays.seal({ ...SPAN, zone: zone('UTC') })
    const file = join(place.folder, 'plumbline.db')
    await using writer = new Writer({ file, synchronous: 'OFF' })
    await writer.write([])
    const database = openForReading(file)
    const plain = new Reader(database)
    const reader = new Interrupted(plain, recordChecks(plain), () => {})
    const isSealed = () => plain.row('select 1 from theme_sealed_parts') !== undefined
    const [id] = plain.row<[number]>('select id from theme_sealed_parts')!
    const part = await loadPart(reader, 'theme', 1, id)
    const statements = unsealPart(reader.dialect, 'theme', 1, { id, part })
    const still = new Int32Array(new SharedArrayBuffer(4))
    let written: Promise<unknown> | undefined
    reader.afterSnapshot = () => {
      written ??= writer.write(statements)
      while (isSealed()) Atomics.wait(still, 0, 0, 1)
    }

    const found = await gather(readNewest(reader, { ...QUERY, newest: limit }, limit))

    await written
    database.close()
    const last = times.map((time, at) => recordAt(time, at)).toReversed()
    assert.equal(found, `[${last.slice(0, limit).join()}]`)
  })
