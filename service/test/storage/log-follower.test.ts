import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import Sqlite, { type Database } from 'better-sqlite3'
import fc from 'fast-check'
import {
  LogFollower,
  type ChangedPages,
  type ClosedFile,
  type LogPlace,
} from '../../src/storage/sqlite/write-ahead-log/log-follower.ts'
import { LogGap } from '../../src/storage/sqlite/write-ahead-log/log-frames.ts'
import { runs, SEED } from '../_random.ts'

const PAGE_BYTES = 1024

/** A database with a follower, and the file that its copy would make. */
class Followed implements Disposable {
  readonly #folder = mkdtempSync(join(tmpdir(), 'plumbline-follow-'))
  readonly #file = join(this.#folder, 'test.db')
  #writers: Database[] = []
  #reader: Database | undefined
  #follower: LogFollower | undefined
  #changed: ChangedPages = new Map()
  /** The copy, and the part of its begin that is still to be copied. */
  #copy: Buffer = Buffer.alloc(0)
  #isWhole = false
  #last: { place: LogPlace; closed: ClosedFile | undefined } | undefined
  #rows = 0
  readonly counts = { compared: 0, continued: 0, begun: 0, emptied: 0 }

  constructor() {
    const first = this.#open(0)
    first.exec('create table one (id integer primary key, content blob) strict')
    this.#writers = [first, this.#open(20)]
    this.follow()
  }

  /** One commit of some rows by one of two connections, one of which copies the log back early. */
  commit(writer: number, rows: number): void {
    const database = this.#writers[writer % 2]
    if (database === undefined) return this.command(rows)
    change(database, rows, this.#rows)
    this.#rows += rows
  }

  /** A command that opens the database for a moment. */
  command(rows: number): void {
    const database = this.#open(10)
    change(database, rows, this.#rows)
    this.#rows += rows
    database.close()
  }

  rolledBack(rows: number): void {
    const [database] = this.#writers
    if (database === undefined) return
    database.pragma('cache_size = 5')
    database.exec('begin')
    change(database, rows, 0)
    database.exec('rollback')
  }

  checkpoint(mode: string): void {
    this.#writers[0]?.pragma(`wal_checkpoint(${mode})`)
  }

  toggleReader(): void {
    if (this.#reader !== undefined) {
      this.#reader.close()
      this.#reader = undefined
      return
    }
    this.#reader = this.#open(0)
    this.#reader.exec('begin')
    this.#reader.prepare('select count(*) from one').get()
  }

  copyBack(): void {
    this.#following((follower) => {
      if (follower.copyBack(this.#changed) === 'whole') this.counts.emptied++
    })
  }

  read(): void {
    this.#following((follower) => follower.read(this.#changed))
  }

  /** Ends the copy of the begin, applies what has changed, and compares. */
  cut(): void {
    this.#following((follower) => {
      if (!this.#isWhole) this.#copy = Buffer.concat([this.#copy, this.#half(1)])
      follower.read(this.#changed)
      this.#apply(follower.pages)
      this.#isWhole = true
      this.#last = { place: follower.place, closed: undefined }
      this.#compare()
    })
  }

  /** The process that copies is killed: what it had read is lost. */
  kill(): void {
    this.#follower?.[Symbol.dispose]()
    this.#follower = undefined
    this.#changed = new Map()
  }

  /** The service stops, and the process that copies after it. */
  stop(): void {
    for (const one of this.#writers) one.close()
    this.#writers = []
    this.#following((follower) => {
      const closed = follower.close(this.#changed)
      this.#apply(follower.pages)
      this.#last = { place: follower.place, closed }
      if (this.#isWhole) this.#compare()
      else this.#last = undefined
    })
    this.kill()
  }

  /** The service and the process that copies start, where they do not run. */
  follow(): void {
    if (this.#writers.length === 0) this.#writers = [this.#open(0), this.#open(20)]
    if (this.#follower !== undefined) return
    this.#follower = new LogFollower(this.#file)
    this.#following((follower) => {
      follower.read(this.#changed)
      const { place, closed } = this.#last ?? {}
      if (this.#isWhole && place !== undefined && follower.continues(place, closed)) {
        this.counts.continued++
        return
      }
      this.counts.begun++
      this.#isWhole = false
      this.#copy = this.#half(0)
    })
  }

  [Symbol.dispose](): void {
    this.kill()
    for (const one of [...this.#writers, this.#reader]) one?.close()
    rmSync(this.#folder, { recursive: true })
  }

  /** A log that another program has begun anew is no error: the next copy begins. */
  #following(work: (follower: LogFollower) => void): void {
    if (this.#follower === undefined) return
    try {
      work(this.#follower)
    } catch (error) {
      if (!(error instanceof LogGap)) throw error
      assert.fail(`a gap while it was followed: ${error.message}`)
    }
  }

  #open(copyBackFrom: number): Database {
    const database = new Sqlite(this.#file, { timeout: 0 })
    database.pragma(`page_size = ${PAGE_BYTES}`)
    database.pragma('auto_vacuum = INCREMENTAL')
    database.pragma('journal_mode = WAL')
    database.pragma('synchronous = OFF')
    database.pragma(`wal_autocheckpoint = ${copyBackFrom}`)
    return database
  }

  /** One half of the pages of the database file as it is now, read by another process. */
  #half(which: 0 | 1): Buffer {
    const bytes = execFileSync('cat', [this.#file], { maxBuffer: 2 ** 28 })
    const middle =
      which === 0 ? Math.floor(bytes.length / PAGE_BYTES / 2) * PAGE_BYTES : this.#copy.length
    return which === 0 ? bytes.subarray(0, middle) : bytes.subarray(middle)
  }

  #apply(pages: number): void {
    const next = Buffer.alloc(pages * PAGE_BYTES)
    this.#copy.copy(next)
    for (const [page, content] of this.#changed) content.copy(next, (page - 1) * PAGE_BYTES)
    this.#copy = next
    this.#changed = new Map()
  }

  /** Compares with what SQLite makes of copies of the database file and the log. */
  #compare(): void {
    const other = join(this.#folder, 'other.db')
    execFileSync('cp', [this.#file, other])
    if (existsSync(`${this.#file}-wal`)) execFileSync('cp', [`${this.#file}-wal`, `${other}-wal`])
    new Sqlite(other).exec('pragma wal_checkpoint(truncate)').close()
    const expected = readFileSync(other)
    for (const end of ['', '-wal', '-shm']) rmSync(other + end, { force: true })
    assert.equal(this.#copy.length, expected.length)
    assert.ok(this.#copy.equals(expected), 'the copy differs from the database')
    this.counts.compared++
  }
}

function change(database: Database, rows: number, after: number): void {
  const isOwn = !database.inTransaction
  if (isOwn) database.exec('begin immediate')
  const add = database.prepare('insert or replace into one values (?, randomblob(?))')
  for (let row = 0; row < rows; row++) add.run(((after + row) * 7) % 300, 40 + ((row * 97) % 700))
  if (rows % 5 === 0)
    database.exec('delete from one where id % 3 = 0; pragma incremental_vacuum(4)')
  if (isOwn) database.exec('commit')
}

const rows = fc.integer({ min: 1, max: 40 })
const ACTIONS = fc.oneof(
  { weight: 8, arbitrary: fc.tuple(fc.constant('commit'), fc.integer({ min: 0, max: 1 }), rows) },
  { weight: 2, arbitrary: fc.tuple(fc.constant('command'), rows) },
  { weight: 1, arbitrary: fc.tuple(fc.constant('rolledBack'), rows) },
  {
    weight: 2,
    arbitrary: fc.tuple(
      fc.constant('checkpoint'),
      fc.constantFrom('PASSIVE', 'FULL', 'RESTART', 'TRUNCATE'),
    ),
  },
  { weight: 1, arbitrary: fc.tuple(fc.constant('toggleReader')) },
  { weight: 4, arbitrary: fc.tuple(fc.constant('copyBack')) },
  { weight: 3, arbitrary: fc.tuple(fc.constant('read')) },
  { weight: 4, arbitrary: fc.tuple(fc.constant('cut')) },
  { weight: 1, arbitrary: fc.tuple(fc.constant('kill')) },
  { weight: 1, arbitrary: fc.tuple(fc.constant('stop')) },
  { weight: 3, arbitrary: fc.tuple(fc.constant('follow')) },
)

test('what a follower reads makes a copy that is byte for byte the database, whatever others do', (t) => {
  const sum = { compared: 0, continued: 0, begun: 0, emptied: 0 }
  fc.assert(
    fc.property(fc.array(ACTIONS, { minLength: 5, maxLength: 40 }), (actions) => {
      using followed = new Followed()
      for (const [name, ...given] of [...actions, ['follow'], ['cut']] as [string, ...unknown[]][])
        (followed as unknown as Record<string, (...given: unknown[]) => void>)[name]!(...given)
      for (const name of Object.keys(sum) as (keyof typeof sum)[])
        sum[name] += followed.counts[name]
    }),
    { numRuns: runs(1000, 30), seed: SEED },
  )
  t.diagnostic(JSON.stringify(sum))
  assert.ok(sum.continued > 0 && sum.emptied > 0 && sum.compared > 0)
})
