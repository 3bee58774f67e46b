import assert from 'node:assert/strict'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import Sqlite from 'better-sqlite3'
import fc from 'fast-check'
import { runs } from '../_random.ts'
import { zone } from '../../src/domain/time/local-time.ts'
import { openSqlite } from '../../src/storage/sqlite/open.ts'
import { Writer } from '../../src/storage/sqlite/connection/writer.ts'
import type { RecordKind, Storage } from '../../src/storage/storage.ts'
import { EVER, minutes, newPlace, readRecords, rowsOf } from './_place.ts'

const HOUR = 3_600_000
const DAY = 24 * HOUR
const UTC = zone('UTC')
const START = Date.UTC(2026, 2, 1)
const EVERY = minutes(600, START)
const DAMAGE = { name: 'DamageError', message: /theme records of source 1 from 2026-03-01T05:00/ }

const openPlace = () => newPlace((folder) => openSqlite(folder, { synchronous: 'OFF' }))

/** Changes the file as no program of ours would. */
function runSql(folder: string, sql: string): void {
  const database = new Sqlite(join(folder, 'plumbline.db'))
  assert.ok(database.prepare(sql).run().changes > 0)
  database.close()
}

async function damagesOf(storage: Storage, kind: RecordKind = 'theme') {
  const found = await Array.fromAsync(storage.records.inspect(kind))
  return found.filter(({ damage }) => damage !== undefined)
}

const ROW = `source = 1 and time = ${EVERY[330]}`

const SPOILS = {
  'a value that was altered': `update theme_records set record = replace(record, '330', '331') where ${ROW}`,
  'a record that was lost': `delete from theme_records where ${ROW}`,
  'a record that moved by a second': `update theme_records set time = time + 1000 where ${ROW}`,
  'a record that moved to another source': `update theme_records set source = 2 where ${ROW}`,
  'a checksum that was altered': `update theme_checksums set crc = crc + 1
    where source = 1 and start = ${EVERY[300]}`,
}

describe('in an open day', () => {
  for (const [what, sql] of Object.entries(SPOILS))
    test(`${what} is never served, and other records are`, async () => {
      await using place = await openPlace()
      await using storage = await place.open()
      await storage.records.write({ theme: rowsOf(1, EVERY) })
      const read = (query: object) => readRecords(storage, { source: 1, ...query })
      const queries = [
        {},
        { newest: 300 },
        { shape: 'nested' },
        { from: EVERY[329]!, to: EVERY[331]! },
        { to: EVERY[330]! + 500 },
        { from: EVERY[330]! + 500, newest: 400 },
      ]
      const sound = await Promise.all(queries.map(read))
      runSql(place.folder, sql)

      // Of records in another instant, but in their order, the text is still what it was.
      const isText = what.includes('by a second')
      for (const [at, query] of queries.entries()) {
        const isCut = 'to' in query || 'from' in query
        if (isText && !isCut) assert.deepEqual(await read(query), sound[at])
        else await assert.rejects(read(query), DAMAGE, JSON.stringify(query))
      }
      const hours = storage.records.readHours({ kind: 'theme', source: 1, ...EVER, zone: UTC })
      if (!isText) await assert.rejects(Array.fromAsync(hours), DAMAGE)
      await assert.rejects(
        Array.fromAsync(storage.records.readLists({ kind: 'theme', source: 1, ...EVER })),
        DAMAGE,
      )
      assert.equal((await read({ to: EVERY[299]! })).length, 300)
      assert.equal((await read({ from: EVERY[360]! })).length, 600 - 360)
      assert.equal((await read({ newest: 1 })).length, 1)
      const [damage] = await damagesOf(storage)
      assert.equal(damage?.source, 1)
      assert.equal(damage?.start, EVERY[300])
    })

  test('a checksum with another number or another instant is damage, found at once', async () => {
    for (const sql of [
      `update theme_checksums set count = count + 1099511627776 where start = ${EVERY[300]}`,
      `update theme_checksums set start = start + 1 where start = ${EVERY[300]}`,
      `update theme_last_checksums set last = ${START - 1}`,
      `update theme_last_checksums set start = last + 1`,
    ]) {
      await using place = await openPlace()
      await using storage = await place.open()
      await storage.records.write({ theme: rowsOf(1, EVERY) })
      runSql(place.folder, sql)

      const lists = storage.records.readLists({ kind: 'theme', source: 1, ...EVER })
      await assert.rejects(Array.fromAsync(lists), { name: 'DamageError' }, sql)
      assert.ok((await damagesOf(storage)).length > 0, sql)
    }
  })

  test('damage is not sealed, and writing goes on', async () => {
    await using place = await openPlace()
    await using storage = await place.open()
    await storage.records.write({ theme: rowsOf(1, EVERY) })
    runSql(place.folder, SPOILS['a value that was altered'])

    const span = { kind: 'theme', source: 1, start: START, until: START + DAY, zone: UTC } as const
    await assert.rejects(storage.sealedDays.seal(span), DAMAGE)
    await storage.records.write({ theme: rowsOf(1, [EVERY[325]!, EVERY[599]! + 60_000]) })

    await assert.rejects(readRecords(storage, { source: 1 }), DAMAGE)
    assert.equal((await readRecords(storage, { source: 1, newest: 1 })).length, 1)
  })

  test('damage is still found after records beside it are removed', async () => {
    await using place = await openPlace()
    await using storage = await place.open()
    await storage.records.write({ theme: rowsOf(1, EVERY) })
    runSql(place.folder, SPOILS['a value that was altered'])

    const theme = { sources: [1, 1], times: [EVERY[301]!, EVERY[359]!] }
    await storage.records.write({}, { deletions: { theme } })

    await assert.rejects(readRecords(storage, { source: 1 }), DAMAGE)
    assert.equal((await damagesOf(storage))[0]?.start, EVERY[300])
  })

  test('a damaged record that becomes the newest one is not served', async () => {
    await using place = await openPlace()
    await using storage = await place.open()
    await storage.records.write({ theme: rowsOf(1, EVERY.slice(0, 130)) })
    const sql = `update theme_records set record = replace(record, '127', '128')`
    runSql(place.folder, `${sql} where time = ${EVERY[127]}`)

    const theme = { sources: [1, 1], times: [EVERY[128]!, EVERY[129]!] }
    await storage.records.write({}, { deletions: { theme } })

    const newest = readRecords(storage, { source: 1, newest: 1 })
    await assert.rejects(newest, { name: 'DamageError' })
  })

  test('a damaged record that is sent again unchanged is undamaged', async () => {
    await using place = await openPlace()
    await using storage = await place.open()
    await storage.records.write({ theme: rowsOf(1, EVERY) })
    runSql(place.folder, SPOILS['a value that was altered'])
    await assert.rejects(readRecords(storage, { source: 1 }), DAMAGE)

    await storage.records.write({ theme: rowsOf(1, EVERY.slice(330, 331), () => 330) })

    assert.equal((await readRecords(storage, { source: 1 })).length, 600)
    assert.deepEqual(await damagesOf(storage), [])
  })

  test('an altered or lost newest record is not served, nor the one before in its place', async () => {
    for (const sql of [
      `update theme_records set record = replace(record, '599', '598') where time = ${EVERY[599]}`,
      `delete from theme_records where time = ${EVERY[599]}`,
      `update theme_last_checksums set newest = newest + 1, crc = crc + 1`,
      `update theme_last_checksums set last = ${EVERY[598]}`,
      `delete from theme_last_checksums`,
    ]) {
      await using place = await openPlace()
      await using storage = await place.open()
      await storage.records.write({ theme: rowsOf(1, EVERY) })
      runSql(place.folder, sql)

      await assert.rejects(
        readRecords(storage, { source: 1, newest: 1 }),
        { name: 'DamageError' },
        sql,
      )
      assert.ok((await damagesOf(storage)).length > 0, sql)
    }
  })

  test('two instances that write one source in turn keep its checksums', async () => {
    await using place = await openPlace()
    const instances = [await place.open(), await place.open()] as const
    for (let at = 0; at < 200; at += 10)
      await instances[(at / 10) % 2]!.records.write({ theme: rowsOf(1, EVERY.slice(at, at + 10)) })

    for (const storage of instances) {
      assert.equal((await readRecords(storage, { source: 1 })).length, 200)
      assert.deepEqual(await damagesOf(storage), [])
    }
  })

  test('an altered entry of the newest record is found, and the record is served', async () => {
    await using place = await openPlace()
    await using storage = await place.open()
    await storage.records.write({ theme: rowsOf(1, EVERY) })
    runSql(place.folder, 'update theme_last_checksums set newest = newest + 1')

    const [newest] = await readRecords(storage, { source: 1, newest: 1 })

    assert.equal(newest?.['v'], 599)
    assert.equal((await damagesOf(storage)).length, 1)
  })

  test('the last records are sealed alone, beside earlier ones that stay open', async () => {
    await using place = await openPlace()
    await using storage = await place.open()
    await storage.records.write({ theme: rowsOf(1, EVERY.slice(0, 70)) })
    const span = {
      kind: 'theme',
      source: 1,
      start: EVERY[64]!,
      until: START + DAY,
      zone: UTC,
    } as const

    await storage.sealedDays.seal(span)

    assert.equal((await readRecords(storage, { source: 1 })).length, 70)
    assert.deepEqual(await damagesOf(storage), [])
  })

  test('a sealed day without its bytes is damage', async () => {
    await using place = await openPlace()
    await using storage = await place.open()
    await storage.records.write({ theme: rowsOf(1, EVERY.slice(0, 3)) })
    const span = { kind: 'theme', source: 1, start: START, until: START + DAY, zone: UTC } as const
    await storage.sealedDays.seal(span)
    runSql(place.folder, 'delete from theme_sealed_chunks')

    const from = START + 1
    for (const read of [
      () => readRecords(storage, { source: 1 }),
      () => readRecords(storage, { source: 1, from }),
      () => readRecords(storage, { source: 1, newest: 2 }),
      () => storage.sealedDays.unseal(span),
    ])
      await assert.rejects(read(), { name: 'DamageError' })
    await storage.records.write({ theme: rowsOf(1, [EVERY[0]!]) })
    await assert.rejects(storage.sealedDays.seal(span), { name: 'DamageError' })
  })

  test('a lost correction does not let the sealed record be served', async () => {
    await using place = await openPlace()
    await using storage = await place.open()
    await storage.records.write({ theme: rowsOf(1, EVERY) })
    const span = { kind: 'theme', source: 1, start: START, until: START + DAY, zone: UTC } as const
    await storage.sealedDays.seal(span)
    await storage.records.write({ theme: rowsOf(1, [EVERY[300]!], () => 9) })
    runSql(place.folder, `delete from theme_records`)

    await assert.rejects(readRecords(storage, { source: 1 }), DAMAGE)
    const deflated = storage.records.readDeflated({
      kind: 'theme',
      source: 1,
      shape: 'flat',
      ...EVER,
    })
    await assert.rejects(Array.fromAsync(deflated), DAMAGE)
  })

  test('records that arrive during a check are no damage, and each is counted once', async () => {
    await using place = await openPlace()
    await using storage = await place.open()
    const late = minutes(80, START + 7 * DAY)
    await storage.records.write({ theme: rowsOf(1, EVERY.slice(0, 100)) })
    const comes = [
      EVERY.slice(100, 110),
      // So many in the midst as well that what was looked at is cut anew.
      [...EVERY.slice(64, 100).map((time) => time + 1000), ...EVERY.slice(110, 200)],
      late,
    ]

    let records = 0
    for await (const found of storage.records.inspect('theme')) {
      assert.equal(found.damage, undefined)
      records += found.records
      const times = comes.shift()
      if (times !== undefined) await storage.records.write({ theme: rowsOf(1, times) })
    }

    // Those in the midst lie before what was looked at last.
    assert.deepEqual([comes.length, records], [0, 200 + late.length])
  })

  test('a day without its entry is found, and not skipped by hour summaries', async () => {
    await using place = await openPlace()
    await using storage = await place.open()
    await storage.records.write({ theme: rowsOf(1, EVERY) })
    runSql(place.folder, 'delete from theme_open_days')

    const hours = storage.records.readHours({ kind: 'theme', source: 1, ...EVER, zone: UTC })

    await assert.rejects(Array.fromAsync(hours), /no entry for the day of 2026-03-01/)
    assert.equal((await damagesOf(storage))[0]?.start, START)
  })

  test('a missing day among days that share a checksum is found', async () => {
    await using place = await openPlace()
    await using storage = await place.open()
    const rare = [0, 1, 2, 3, 9].map((day) => START + day * DAY + HOUR)
    await storage.records.write({ theme: rowsOf(1, rare) })
    const hours = (from: number, to: number) =>
      Array.fromAsync(storage.records.readHours({ kind: 'theme', source: 1, from, to, zone: UTC }))
    assert.equal((await hours(START, START + 10 * DAY)).length, 5)
    runSql(place.folder, `delete from theme_open_days where day = ${(START + 2 * DAY) / DAY}`)

    await assert.rejects(hours(START, START + 10 * DAY), /no entry for the day of 2026-03-03/)
    assert.equal((await hours(START + 3 * DAY, START + 8 * DAY)).length, 1)
    assert.equal((await damagesOf(storage))[0]?.start, rare[2])
  })
})

test('a statement that would change open records without their checksums is not run', async () => {
  await using place = await openPlace()
  await using storage = await place.open()
  await storage.records.write({ theme: rowsOf(1, EVERY) })
  await using writer = new Writer({ file: join(place.folder, 'plumbline.db'), synchronous: 'OFF' })

  const write = writer.write([{ sql: 'delete from theme_records', width: 0, values: [] }])

  await assert.rejects(write, /changes theme_records and does not say so/)
  assert.equal((await readRecords(storage, { source: 1 })).length, 600)
})

const times = fc.array(fc.nat(300), { minLength: 1, maxLength: 150 })
const steps = fc.oneof(
  { weight: 4, arbitrary: times.map((at) => ({ kind: 'write', at }) as const) },
  { weight: 2, arbitrary: times.map((at) => ({ kind: 'remove', at }) as const) },
  fc.nat(300).map((at) => ({ kind: 'seal', at: [at] }) as const),
  fc.nat(300).map((at) => ({ kind: 'unseal', at: [at] }) as const),
  fc.nat(100).map((at) => ({ kind: 'forget', at: [at] }) as const),
)

test('after any writes, removals, seals and deletions the checksums are those of the remaining records', async () => {
  await using place = await openPlace()
  await using storage = await place.open()
  let source = 0
  await fc.assert(
    fc.asyncProperty(fc.array(steps, { minLength: 1, maxLength: 12 }), async (history) => {
      source++
      const expected = new Map<number, number>()
      for (const [number, { kind, at }] of history.entries()) {
        const instants = at.map((minute) => minute * 600_000)
        const span = { kind: 'theme', source, start: 0, until: instants[0]! + 1 } as const
        if (kind === 'write') {
          await storage.records.write({ theme: rowsOf(source, instants, () => number) })
          for (const instant of instants) expected.set(instant, number)
        } else if (kind === 'remove') {
          const keys = { sources: instants.map(() => source), times: instants }
          await storage.records.write({}, { deletions: { theme: keys } })
          for (const instant of instants) expected.delete(instant)
        } else if (kind === 'seal') await storage.sealedDays.seal({ ...span, zone: UTC })
        else if (kind === 'unseal') await storage.sealedDays.unseal(span)
        else {
          const before = instants[0]!
          await storage.sealedDays.unseal({ ...span, until: 1e12 })
          for (let isDone = false; !isDone;)
            ({ isDone } = await storage.retention.expire({
              kind: 'theme',
              source,
              before,
              limit: 50,
            }))
          for (const instant of expected.keys()) if (instant < before) expected.delete(instant)
        }
      }
      const found = await readRecords(storage, { source })

      assert.deepEqual(
        found.map(({ v }) => v),
        [...expected].toSorted(([a], [b]) => a - b).map(([, value]) => value),
      )
      assert.deepEqual(await damagesOf(storage), [])
    }),
    { numRuns: runs(60) },
  )
})
