import { SerialQueue } from '../../concurrency/serial-queue.ts'
import type { ImportFolder, StoredImport } from './import-folder.ts'
import { ReportLines } from './report-lines.ts'

const BEAT_MILLISECONDS = 1_000

/** The end of an import. */
export type ImportEnd = Pick<StoredImport, 'state'> & Partial<Pick<StoredImport, 'problem'>>

/** Aborts an import; says what becomes of it. */
export class ImportStop extends Error {
  override name = 'ImportStop'
  readonly end: ImportEnd

  constructor(end: ImportEnd) {
    super(end.problem ?? `the import is ${end.state}`)
    this.end = end
  }
}

const CANCELLED: ImportEnd = { state: 'cancelled' }

type LiveOptions = { folder: ImportFolder; now(): number; onError(error: unknown): void }

/** An import that this instance runs, or will run: it says so every second in the file of its state. */
export class LiveImport {
  readonly report = new ReportLines()
  readonly #record: StoredImport
  readonly #options: LiveOptions
  readonly #controller = new AbortController()
  /** Writes of the state, in their order. */
  readonly #writes = new SerialQueue()
  readonly #beat: NodeJS.Timeout
  #isEnding = false

  constructor(record: StoredImport, options: LiveOptions) {
    this.#record = { ...record }
    this.#options = options
    this.#beat = setInterval(() => void this.#tick().catch(options.onError), BEAT_MILLISECONDS)
  }

  get signal(): AbortSignal {
    return this.#controller.signal
  }

  get record(): Readonly<StoredImport> {
    return { ...this.#record, lines: this.report.lines() }
  }

  note(progress: Partial<StoredImport>): void {
    Object.assign(this.#record, progress)
  }

  stop(end: ImportEnd = CANCELLED): void {
    this.#controller.abort(new ImportStop(end))
  }

  save(): Promise<void> {
    this.#record.seenAt = this.#options.now()
    return this.#writes.run(() => this.#options.folder.write(this.record))
  }

  /** Removes the file, and writes the end: whoever sees the end finds nothing left. */
  async end(end: ImportEnd): Promise<void> {
    clearInterval(this.#beat)
    this.#isEnding = true
    const { folder, now } = this.#options
    await folder.removeData(this.#record.id)
    const ended = { ...end, endedAt: now(), member: null, memberBytes: null }
    await this.#writes.run(() => folder.write({ ...this.record, ...ended }))
    this.note(ended)
  }

  async #tick(): Promise<void> {
    if (await this.#options.folder.isAskedToStop(this.#record.id)) this.stop()
    if (!this.#isEnding) await this.save()
  }
}
