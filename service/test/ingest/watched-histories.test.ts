import assert from 'node:assert/strict'
import { appendFile, mkdtemp, readdir, rename, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import fc from 'fast-check'
import { runs } from '../_random.ts'
import { RejectWriter } from '../../src/ingest/rejects/reject-writer.ts'
import { FolderWatch } from '../../src/ingest/files/folder-watch.ts'
import { applySite } from '../../src/site/apply/apply.ts'
import { openSqlite } from '../../src/storage/sqlite/open.ts'
import type { RecordStore, Storage } from '../../src/storage/storage.ts'
import { SITE } from '../_site.ts'
import { RecordIngest } from '../../src/ingest/record-ingest.ts'
import { IngestClock } from '../../src/ingest/records/ingest-clock.ts'

const MAPPING = `format: toa5
offset: '+00:00'
columns: [{ column: S, station: 1002, item: strain }]
`
const HEADER = '"TOA5","a"\r\n"TIMESTAMP","RECORD","S"\r\n"TS","RN",""\r\n"","","Smp"\r\n'
const START = Date.UTC(2024, 0, 1)

type Step =
  | { kind: 'append'; rows: number; cut: number }
  | { kind: 'bad' }
  | { kind: 'rotate' }
  | { kind: 'rewrite' }
  | { kind: 'look' }
  | { kind: 'kill'; when: 'before' | 'after' }
  | { kind: 'rest' }

const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.record({ kind: fc.constant('append'), rows: fc.nat(6), cut: fc.nat(30) }),
  },
  { weight: 1, arbitrary: fc.constant({ kind: 'bad' } as const) },
  { weight: 2, arbitrary: fc.constant({ kind: 'rotate' } as const) },
  { weight: 1, arbitrary: fc.constant({ kind: 'rewrite' } as const) },
  { weight: 4, arbitrary: fc.constant({ kind: 'look' } as const) },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('kill'),
      when: fc.constantFrom('before' as const, 'after' as const),
    }),
  },
  { weight: 1, arbitrary: fc.constant({ kind: 'rest' } as const) },
) as fc.Arbitrary<Step>

/** A logger that writes, rotates and starts anew, beside a watcher that may die at any write. */
class History {
  readonly #folder: string
  readonly #storage: Storage
  readonly #counts = new Map<number, number>()
  /** Rows that are whole in some file, and the bad lines. */
  readonly rows: number[] = []
  readonly badLines: string[] = []
  #next = 0
  #rotated = 0
  /** What of the last row is not written yet. */
  #pending = ''
  #isFresh = true
  #now = START + 400 * 86_400_000
  #dies: 'before' | 'after' | undefined
  killed = 0
  #watch: FolderWatch

  constructor(folder: string, storage: Storage) {
    this.#folder = folder
    this.#storage = storage
    this.#watch = this.#start()
  }

  get counts(): ReadonlyMap<number, number> {
    return this.#counts
  }

  async apply(step: Step): Promise<void> {
    if (step.kind === 'append') return this.#append(step.rows, step.cut)
    if (step.kind === 'bad') return this.#appendBad()
    if (step.kind === 'rotate') return this.#rotate()
    if (step.kind === 'rewrite') return this.#rewrite()
    // A file that rests is whole, though perhaps without its last line break.
    if (step.kind === 'rest' && this.#pending.trim() === '') this.#now += 60_000
    if (step.kind === 'kill') this.#dies = step.when
    await this.readFiles()
    if (step.kind === 'kill') this.#dies = undefined
    if (step.kind === 'kill') this.#watch = this.#start()
  }

  async readFiles(): Promise<void> {
    await this.#watch.check(new AbortController().signal)
  }

  async finish(): Promise<void> {
    if (this.#pending !== '') await this.#append(0, 0)
    await this.readFiles()
    this.#now += 60_000
    await this.readFiles()
  }

  #path(name: string): string {
    return join(this.#folder, name)
  }

  #row(): string {
    const index = this.#next++
    this.rows.push(index)
    const time = new Date(START + index * 1000).toISOString().slice(0, 19).replace('T', ' ')
    return `"${time}",${index},${index}\r\n`
  }

  /** Writes rows, and leaves the last `cut` bytes of them for later. */
  async #append(rows: number, cut: number): Promise<void> {
    const header = this.#isFresh ? HEADER : ''
    this.#isFresh = false
    const text = header + this.#pending + Array.from({ length: rows }, () => this.#row()).join('')
    const end = Math.max(0, text.length - cut)
    this.#pending = text.slice(end)
    await appendFile(this.#path('a.dat'), text.slice(0, end))
  }

  async #appendBad(): Promise<void> {
    // Every other one comes alone: a batch without a record has a place too.
    await this.#append(this.badLines.length % 2, 0)
    const line = `bad ${this.badLines.length}`
    this.badLines.push(line)
    await appendFile(this.#path('a.dat'), `${line}\r\n`)
  }

  async #rotate(): Promise<void> {
    if (this.#isFresh) return
    await this.#append(0, 0)
    await rename(this.#path('a.dat'), this.#path(`a.dat.${++this.#rotated}`))
    this.#isFresh = true
  }

  /** Throws the file away once all of it was read, and begins again under its name. */
  async #rewrite(): Promise<void> {
    if (this.#isFresh) return
    await this.#append(0, 0)
    await this.readFiles()
    await writeFile(this.#path('a.dat'), '')
    this.#isFresh = true
  }

  #start(): FolderWatch {
    const data: RecordStore = Object.assign(Object.create(this.#storage.records) as RecordStore, {
      write: this.#write.bind(this),
    })
    const quiet = { info: () => undefined, warn: () => undefined }
    return new FolderWatch({
      folder: { path: this.#folder, pattern: '*.dat*', mapping: join(this.#folder, 'm.yaml') },
      ingest: RecordIngest.open({
        storage: Object.assign(Object.create(this.#storage) as Storage, { records: data }),
        clock: new IngestClock({ now: () => this.#now }),
      }),
      storage: this.#storage,
      log: quiet,
      rejects: new RejectWriter({
        store: this.#storage.rejects,
        keep: { records: 1000 },
        log: quiet,
      }),
      fileIdleMilliseconds: 60_000,
      mostReservedBytes: 2 ** 28,
      mostFileBytes: 2 ** 20,
    })
  }

  /** Counts what is committed; dies before the commit, or after it and before anybody hears of it. */
  async #write(
    ...[batch, options]: Parameters<RecordStore['write']>
  ): ReturnType<RecordStore['write']> {
    if (this.#dies === 'before') return this.#die()
    const written = await this.#storage.records.write(batch, options)
    for (const time of batch.theme?.times ?? []) {
      const index = (time - START) / 1000
      this.#counts.set(index, (this.#counts.get(index) ?? 0) + 1)
    }
    return this.#dies === 'after' ? this.#die() : written
  }

  #die(): never {
    this.killed++
    throw new Error('the process is gone')
  }
}

test('rows of files that grow, rotate and start anew are read once, across kills at any write', async () => {
  const home = await mkdtemp(join(tmpdir(), 'plumbline-histories-'))
  try {
    await using storage = await openSqlite(home, { synchronous: 'OFF' })
    await applySite(storage, { text: SITE, fileName: 'site.yaml' })
    let kills = 0
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 4, maxLength: 25 }), async (steps) => {
        const folder = await mkdtemp(join(home, 'run-'))
        await writeFile(join(folder, 'm.yaml'), MAPPING)
        const history = new History(folder, storage)
        for (const step of steps) await history.apply(step)
        await history.finish()
        kills += history.killed

        const names = await readdir(folder)
        assert.deepEqual(
          Object.fromEntries(history.counts),
          Object.fromEntries(history.rows.map((index) => [index, 1])),
          names.join(),
        )
        const refused = await storage.rejects.list({ limit: 10_000 })
        const ours = refused.filter(({ origin }) => origin.includes(folder))
        const lines = ours.map(({ payload }) => Buffer.from(payload).toString())
        assert.deepEqual([...new Set(lines)].toSorted(), history.badLines.toSorted())
        if (history.killed === 0) assert.equal(lines.length, history.badLines.length)
        await rm(folder, { recursive: true })
      }),
      { numRuns: runs(150) },
    )
    assert.ok(kills > 0)
  } finally {
    await rm(home, { recursive: true, force: true })
  }
})
