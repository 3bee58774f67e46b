import assert from 'node:assert/strict'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import test, { after, describe } from 'node:test'
import Sqlite from 'better-sqlite3'
import fc from 'fast-check'
import { runs } from '../../../../test/_random.ts'
import { scanLog } from './scan-log.ts'

const PAGE_BYTES = 4096
const FRAME_BYTES = PAGE_BYTES + 24
const TRANSACTIONS = 20

const folder = mkdtempSync(join(tmpdir(), 'plumbline-log-'))
after(() => rmSync(folder, { recursive: true }))

/** A database and its write-ahead log of 20 transactions of 1 to 4 pages, after an earlier round. */
const made = (() => {
  const file = join(folder, 'made.db')
  const database = new Sqlite(file)
  database.exec(`pragma page_size = ${PAGE_BYTES}; pragma journal_mode = wal;
    pragma wal_autocheckpoint = 0; create table t (n integer, filling blob)`)
  const insert = database.prepare('insert into t values (?, zeroblob(?))')
  for (let n = 0; n < 40; n++) insert.run(-1, (n % 4) * 3_000)
  database.pragma('wal_checkpoint(restart)')
  for (let n = 0; n < TRANSACTIONS; n++) insert.run(n, (n % 4) * 3_000)
  const bytes = { database: readFileSync(file), log: readFileSync(`${file}-wal`) }
  database.close()
  return bytes
})()

/** The scan of a log, and the number of its transactions that SQLite applies. */
function look(log: Buffer) {
  const file = join(folder, 'looked-at.db')
  writeFileSync(file, made.database)
  writeFileSync(`${file}-wal`, log)
  const scan = scanLog(`${file}-wal`, PAGE_BYTES)
  const database = new Sqlite(file)
  const taken = database.prepare('select count(*) from t where n >= 0').pluck().get() as number
  database.close()
  return { scan, taken }
}

const flipped = (log: Buffer, at: number, bit: number): Buffer => {
  const copy = Buffer.from(log)
  copy[at]! ^= 1 << bit
  return copy
}

describe('a write-ahead log', () => {
  const whole = look(made.log)
  const used = 32 + whole.scan.frames * FRAME_BYTES

  test('of SQLite is undamaged, with frames of an earlier round after its own', () => {
    assert.equal(whole.taken, TRANSACTIONS)
    assert.equal(whole.scan.transactions, TRANSACTIONS)
    assert.equal(whole.scan.lostTransactions, 0)
    assert.ok(made.log.length > used)
  })

  test('with a flipped bit is read as far as SQLite reads it, and the lost transactions are counted', () => {
    fc.assert(
      fc.property(fc.nat(used - 1), fc.nat(7), (at, bit) => {
        const { scan, taken } = look(flipped(made.log, at, bit))

        assert.equal(scan.transactions, taken)
        // A power cut can damage the transaction with the flip too, but not those after it.
        const lost = TRANSACTIONS - taken
        assert.ok(scan.lostTransactions <= lost && scan.lostTransactions >= lost - 2)
        assert.equal(scan.lostFrames > 0, scan.lostTransactions > 0)
      }),
      { numRuns: runs(300) },
    )
  })

  test('with a damaged last frame has lost nothing: a power cut does the same', () => {
    const { scan } = look(flipped(made.log, used - 1, 0))

    assert.deepEqual([scan.transactions, scan.lostTransactions], [TRANSACTIONS - 1, 0])
  })

  test('that is cut off anywhere has lost nothing', () => {
    fc.assert(
      fc.property(fc.nat(used), (length) => {
        const { scan, taken } = look(made.log.subarray(0, length))

        assert.equal(scan.transactions, taken)
        assert.equal(scan.lostTransactions, 0)
      }),
      { numRuns: runs(100) },
    )
  })

  test('of random bytes is scanned to its end', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 5_000 }), (bytes) => {
        const file = join(folder, 'any')
        writeFileSync(file, bytes)
        assert.equal(scanLog(file, 512).lostTransactions, 0)
      }),
    )
  })
})
