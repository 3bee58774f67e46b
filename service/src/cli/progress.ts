const INTERVAL_MILLISECONDS = 100
const WIDTH = 30
const MEGABYTE = 1_000_000

/** Shows the progress of a command on standard error: a bar on a terminal, nothing elsewhere. */
export class Progress implements Disposable {
  readonly #noun: string
  readonly #isShown = process.stderr.isTTY
  readonly #startedAt = performance.now()
  #shownAt = -Infinity

  /** `noun` names what is counted, such as `records`. */
  constructor(noun: string) {
    this.#noun = noun
  }

  show(done: number, total: number): void {
    const now = performance.now()
    if (!this.#isShown || now - this.#shownAt < INTERVAL_MILLISECONDS) return
    this.#shownAt = now
    process.stderr.write(`\r${progressLine(this.#noun, done, total, now - this.#startedAt)}\x1b[K`)
  }

  /** Clears the line for further output. */
  [Symbol.dispose](): void {
    if (this.#isShown) process.stderr.write('\r\x1b[K')
  }
}

/** `[#####----------] 33 %  480,000 of 1,440,000 records, 12 s left`, with the time since the start. */
export function progressLine(
  noun: string,
  done: number,
  total: number,
  milliseconds: number,
): string {
  const part = total === 0 ? 1 : Math.min(1, done / total)
  const full = Math.round(part * WIDTH)
  const bar = '#'.repeat(full) + '-'.repeat(WIDTH - full)
  const counts = `${done.toLocaleString('en')} of ${total.toLocaleString('en')} ${noun}`
  const left = part === 0 ? '' : `, ${Math.ceil((milliseconds * (1 / part - 1)) / 1000)} s left`
  return `[${bar}] ${Math.floor(part * 100)} %  ${counts}${left}`
}

/** Shows how many bytes are done, in megabytes. */
export const showBytes = (progress: Progress, bytes: number, total: number): void =>
  progress.show(Math.floor(bytes / MEGABYTE), Math.ceil(total / MEGABYTE))
