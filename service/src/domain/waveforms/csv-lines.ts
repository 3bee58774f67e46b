import { LineSplitter, MOST_LINE_BYTES } from '../../encodings/csv/lines.ts'
import { Line } from '../../encodings/csv/line.ts'
import { invalid } from './waveform.ts'

/** The bytes that are split into lines at once. */
const CHUNK_BYTES = 64 * 1024

/** A cursor over the lines of a CSV file in memory; refuses NUL bytes and very long lines. */
export class CsvLines {
  readonly #bytes: Uint8Array
  readonly #splitter = new LineSplitter({ encoding: 'auto' })
  #at = 0
  #lines: readonly Line[] = []
  #index = 0
  /** The current line. */
  line = Line.of('', 0)

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes
  }

  /** The number of the current line, from 1; 0 before the first. */
  get number(): number {
    return this.line.number
  }

  /** Moves to the next line; false at the end of the file. */
  advance(): boolean {
    let line = this.#lines[this.#index]
    while (line === undefined) {
      if (this.#at >= this.#bytes.length) {
        const last = this.#splitter.end()
        if (last === undefined) return false
        line = last
        break
      }
      this.#readChunk()
      line = this.#lines[0]
    }
    this.#index++
    this.line = line
    if (line.isTooLong) throw invalid(`line ${line.number} is longer than ${MOST_LINE_BYTES} bytes`)
    return true
  }

  #readChunk(): void {
    const end = this.#at + CHUNK_BYTES
    this.#lines = this.#splitter.push(this.#bytes.subarray(this.#at, end))
    this.#index = 0
    this.#at = end
    if (this.#splitter.nulBytes > 0)
      throw invalid(`NUL bytes follow line ${this.number}, expected text`)
  }
}
