import type { EventData, TestsStream } from 'node:test'

const SLOWEST = 10

/** Counts tests, and says how long the files took and which of them never ended. */
export class Report {
  readonly #groups: ReadonlyMap<string, readonly string[]>
  readonly #seed: string
  readonly #missing: Set<string>
  readonly #seconds = new Map<string, number>()
  readonly #notes: string[] = []
  #passed = 0
  #failed = 0
  #testsOfFile = 0

  /** `groups` has the files of each process by the name of its program. */
  constructor(groups: ReadonlyMap<string, readonly string[]>, seed: string) {
    this.#groups = groups
    this.#seed = seed
    this.#missing = new Set([...groups.values()].flat())
  }

  get isGood(): boolean {
    return this.#failed === 0 && this.#passed > 0
  }

  /** Takes each event of a run; what was skipped or is to do counts as failed. */
  watch(stream: TestsStream): void {
    stream.on('test:pass', (event) => {
      if (event.details.type === 'suite') return this.#endSuite(event)
      this.#testsOfFile++
      if (event.skip !== undefined || event.todo !== undefined) this.#failed++
      else this.#passed++
    })
    stream.on('test:fail', (event) => {
      if (event.details.type !== 'suite') {
        this.#testsOfFile++
        this.#failed++
        const group = this.#groups.get(event.name)
        if (group !== undefined) this.#notes.push(`The process of ${group.join(', ')} failed.`)
        return
      }
      // Of a suite itself: a hook threw, a file could not be loaded or took too long.
      if (!isOfSubtests(event.details.error)) this.#failed++
      this.#endSuite(event)
    })
  }

  #endSuite({ name, nesting, details }: EventData.TestPass | EventData.TestFail): void {
    if (nesting > 0 || !this.#missing.delete(name)) return
    this.#seconds.set(name, details.duration_ms / 1000)
    if (this.#testsOfFile === 0) this.#fail(`${name} has no test.`)
    this.#testsOfFile = 0
  }

  #fail(note: string): void {
    this.#failed++
    this.#notes.push(note)
  }

  /** The closing lines; the last of them counts the tests. */
  summary(): string {
    for (const file of this.#missing) this.#fail(`${file} did not end.`)
    this.#missing.clear()
    const slowest = [...this.#seconds]
      .toSorted(([, a], [, b]) => b - a)
      .slice(0, SLOWEST)
      .map(([file, seconds]) => `${seconds.toFixed(1).padStart(6)} s  ${file}`)
    const lines = [
      ...this.#notes,
      ...(this.#failed > 0
        ? [`Random tests take the same numbers with TEST_SEED=${this.#seed}.`]
        : []),
      'The slowest files:',
      ...slowest,
      '',
      `The tests took ${(performance.now() / 60_000).toFixed(1)} minutes.`,
      '',
      `${this.#passed} passed, ${this.#failed} failed`,
    ]
    return `\n${lines.join('\n')}\n`
  }
}

const isOfSubtests = (error: Error): boolean =>
  'failureType' in error && error.failureType === 'subtestsFailed'
