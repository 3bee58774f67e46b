import type { PlacedBatch } from '../formats/read-rows.ts'
import type { StoreReport } from '../formats/records.ts'

/** The state of a watched folder, for operators. */
export type FolderState = {
  /** `file <path of the folder>`. */
  origin: string
  pattern: string
  /** `waiting`: not listed yet, read by another instance, or suspended while the clock is wrong. */
  state: 'waiting' | 'reading' | 'caught up' | 'unreadable'
  /** Why the folder is unreadable. */
  problem?: string
  /** Files that match the pattern, those of them that cannot be read, and the first reasons. */
  files: number
  filesRejected: number
  rejected: { file: string; problem: string }[]
  /** Bytes of files that are not read yet. */
  bytesBehind: number
  /** The latest time of a stored record, and when one was stored last; epoch milliseconds. */
  lastRecordTime?: number
  lastStoredAt?: number
  /** Since the start. */
  counts: { records: number; replaced: number; rejected: number }
}

const SHOWN = 20

/** Follows how far the files of a folder have been read. */
export class FolderProgress {
  readonly #folder: Pick<FolderState, 'origin' | 'pattern'>
  readonly #counts: FolderState['counts'] = { records: 0, replaced: 0, rejected: 0 }
  /** The bytes of each file that are not read yet. */
  readonly #behind = new Map<string, number>()
  readonly #problems = new Map<string, string>()
  #problem: string | undefined
  #isWaiting = true
  /** Whether the last check of all files was completed, and nothing has changed since. */
  #isWhole = false
  #times: Pick<FolderState, 'lastRecordTime' | 'lastStoredAt'> = {}

  constructor({ path, pattern }: { path: string; pattern: string }) {
    this.#folder = { origin: `file ${path}`, pattern }
  }

  /** Notes that this instance does not read the folder for now. */
  wait(): void {
    this.#isWaiting = true
    this.#isWhole = false
  }

  /** Notes the begin of a check of the folder, or why it is not possible. */
  begin(problem?: string): void {
    this.#isWaiting = false
    this.#problem = problem
    if (problem !== undefined) this.#isWhole = false
  }

  /** Notes the end of a check of every file. */
  complete(): void {
    this.#isWhole = true
  }

  /** Notes the files of a folder, and the bytes of changed files that are not read yet. */
  list(names: readonly string[], changed: ReadonlyMap<string, number>): void {
    if (changed.size > 0) this.#isWhole = false
    const listed = new Set(names)
    for (const name of this.#behind.keys()) if (!listed.has(name)) this.#behind.delete(name)
    for (const name of this.#problems.keys()) if (!listed.has(name)) this.#problems.delete(name)
    for (const name of names)
      this.#behind.set(name, changed.get(name) ?? this.#behind.get(name) ?? 0)
  }

  bytesBehind(name: string): number {
    return this.#behind.get(name) ?? 0
  }

  setBytesBehind(name: string, bytes: number): void {
    this.#behind.set(name, Math.max(0, bytes))
  }

  setProblem(name: string, problem: string | undefined): void {
    if (problem === undefined) this.#problems.delete(name)
    else this.#problems.set(name, problem)
  }

  store({ raw, rawLines, theme, themeLines }: PlacedBatch, stored: StoreReport, now: number): void {
    const { accepted, replaced } = stored
    const rejected = new Set(stored.rejected.map(({ line }) => line))
    this.#counts.records += accepted
    this.#counts.replaced += replaced
    this.#counts.rejected += rejected.size
    if (accepted === 0) return
    let { lastRecordTime = -Infinity } = this.#times
    for (const [records, lines] of [
      [raw, rawLines],
      [theme, themeLines],
    ] as const)
      for (const [at, line] of lines.entries()) {
        const { time = -Infinity } = records[at] ?? {}
        if (time > lastRecordTime && !rejected.has(line)) lastRecordTime = time
      }
    this.#times = Number.isFinite(lastRecordTime)
      ? { lastRecordTime, lastStoredAt: now }
      : { lastStoredAt: now }
  }

  /** Notes stored waveforms, and the times at which they begin. */
  storeWaveforms(
    { accepted, replaced }: Pick<StoreReport, 'accepted' | 'replaced'>,
    times: readonly number[],
    now: number,
  ): void {
    this.#counts.records += accepted
    this.#counts.replaced += replaced
    if (accepted === 0) return
    const lastRecordTime = Math.max(this.#times.lastRecordTime ?? -Infinity, ...times)
    this.#times = Number.isFinite(lastRecordTime)
      ? { lastRecordTime, lastStoredAt: now }
      : { lastStoredAt: now }
  }

  state(): FolderState {
    const problem = this.#problem
    const bytesBehind = this.#behind.values().reduce((sum, bytes) => sum + bytes, 0)
    return {
      ...this.#folder,
      state: this.#stateOf(bytesBehind),
      ...(problem === undefined ? {} : { problem }),
      files: this.#behind.size,
      filesRejected: this.#problems.size,
      rejected: Array.from(this.#problems, ([file, text]) => ({ file, problem: text })).slice(
        0,
        SHOWN,
      ),
      bytesBehind,
      ...this.#times,
      counts: { ...this.#counts },
    }
  }

  #stateOf(bytesBehind: number): FolderState['state'] {
    if (this.#isWaiting) return 'waiting'
    if (this.#problem !== undefined) return 'unreadable'
    return bytesBehind > 0 || !this.#isWhole ? 'reading' : 'caught up'
  }
}
