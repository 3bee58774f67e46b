import { isRow, type Dialect } from './dialect.ts'
import { BEGINNING, type FilePlace } from './file-place.ts'
import { Line } from '../../encodings/csv/line.ts'
import { MOST_LINE_BYTES } from '../../encodings/csv/lines.ts'
import type { Mapping } from './mapping.ts'
import { openDialect, openFormat, type RowFormatParts } from './open-format.ts'
import type { UnitOf } from './read-columns.ts'
import {
  emptyBatch,
  RecordReader,
  type RecordReaderOptions,
  type RowBatch,
  type ZoneOf,
} from './records.ts'
import { untilAborted } from './until-aborted.ts'

/** The rows up to a place, where reading continues. */
export type PlacedBatch = RowBatch & {
  place: FilePlace
  /** The place before a last line without a line break, and that line. */
  closed: FilePlace
  openLine: string | undefined
  /** In the last batch: the NUL bytes at the end of the file, which are not data. */
  nulTail: number
  /** In the last batch: these and the NUL bytes before lines. */
  nulBytes: number
  /** In the last batch: whether reading ended at more NUL bytes than the limit. */
  isCutOff: boolean
}

export type RowReadingOptions = {
  mapping: Mapping
  zoneOf: ZoneOf
  /** The units of the items of targets; left out: values are not converted. */
  unitOf?: UnitOf
  /** Where reading continues. */
  from?: FilePlace
  /** Whether a last line without a line break counts as whole. */
  takesOpenLine: boolean
  /** Whether nothing will be added to the file: a repeated hour at its end is over. */
  isWhole?: boolean
  /** Whether the line at `from` was read before it had a line break, and is skipped. */
  isTaken?(text: string): boolean
  /** About the most records of a batch; with long rows fewer. */
  batchRecords?: number
  /** Reading ends before more NUL bytes in a row than this. */
  mostReservedBytes?: number
  /** When it is aborted, reading throws its reason. */
  signal?: AbortSignal
}

const BATCH_RECORDS = 4000
const BATCH_BYTES = 256 * 1024
const NOT_LAST = { openLine: undefined, nulTail: 0, nulBytes: 0, isCutOff: false }

/**
 * Reads the rows of a file in batches, in memory that does not grow with the file.
 *
 * `open` returns the bytes from an offset on. A row that cannot be read is rejected in its batch, with
 * the reason. Throws a `RefusedError` for a header that does not fit, or another encoding. The last
 * batch has the place where the file ends, and may be without rows.
 */
export async function* readRows(
  open: (offset: number) => AsyncIterable<Uint8Array>,
  options: RowReadingOptions,
): AsyncGenerator<PlacedBatch> {
  const { mapping, from = BEGINNING, batchRecords = BATCH_RECORDS, signal } = options
  const openUntilAborted = (offset: number) => untilAborted(open(offset), signal)
  const format = openFormat(mapping, options.mostReservedBytes)
  if (from.offset > 0) await readHeader(openUntilAborted, format, from)
  const reader = new BatchReader(format.dialect, options)
  const splitter = format.splitter({ offset: from.offset, lines: from.lines })
  let begin = from.offset

  for await (const chunk of format.data(openUntilAborted(from.offset), from.offset === 0)) {
    signal?.throwIfAborted()
    for (const line of splitter.push(chunk)) {
      reader.take(line)
      const isFull = reader.count >= batchRecords || line.end - begin >= BATCH_BYTES
      if (!isFull || line.isWithin) continue
      const { place } = reader
      yield { ...reader.takeBatch(), ...NOT_LAST, place, closed: place }
      begin = line.end
    }
  }
  const closed = reader.place
  const last = options.takesOpenLine ? splitter.end() : undefined
  if (last !== undefined) reader.take(last)
  const { place } = reader
  if (options.isWhole === true) reader.end()
  const { length: nulTail, isTooLong: isCutOff } = format.tail
  const nulBytes = nulTail + splitter.nulBytes
  yield { ...reader.takeBatch(), place, closed, openLine: last?.text, nulTail, nulBytes, isCutOff }
}

/** Gathers the rows of a file in batches, and follows the place that was reached. */
class BatchReader {
  readonly #dialect: Dialect
  readonly #records: RecordReader
  readonly #header: HeaderPlace
  readonly #from: FilePlace
  readonly #isTaken: RowReadingOptions['isTaken']
  #place: FilePlace
  #batch = emptyBatch()

  constructor(
    dialect: Dialect,
    { mapping, zoneOf, unitOf, from = BEGINNING, isTaken }: RowReadingOptions,
  ) {
    this.#dialect = dialect
    this.#records = new RecordReader({ mapping, zoneOf, unitOf, clocks: from.clocks })
    this.#header = new HeaderPlace(dialect, from)
    this.#from = from
    this.#place = from
    this.#isTaken = isTaken
  }

  /** The place behind the latest line. */
  get place(): FilePlace {
    return { ...this.#place, clocks: this.#records.clocks }
  }

  /** The size of the batch. Rows without a record count too: the place is stored with each batch. */
  get count(): number {
    const { raw, theme, rejected, rows, headers } = this.#batch
    return Math.max(raw.length + theme.length + rejected.length, rows, headers.length)
  }

  take(line: Line): void {
    const isRepeated = this.#place === this.#from && this.#isTaken?.(line.text) === true
    // The time of a repeated line is needed to read that of the next one.
    const batch = isRepeated ? emptyBatch(this.#batch.headers) : this.#batch
    takeLine(line, this.#dialect, this.#records, batch)
    this.#place = { offset: line.end, lines: line.number, ...this.#header.after(line) }
  }

  /** Ends the file: no further row follows. */
  end(): void {
    this.#records.end(this.#batch)
  }

  /** The batch; a new one begins. */
  takeBatch(): RowBatch {
    const batch = this.#batch
    this.#batch = emptyBatch(batch.headers.slice(-1))
    return batch
  }
}

type RowOptions = Pick<RowReadingOptions, 'mapping' | 'zoneOf' | 'unitOf'> &
  Pick<RecordReaderOptions, 'isSecondPass'>

/** Reads one line as a row below a header. */
export function readRow(text: string, header: string | undefined, options: RowOptions): RowBatch {
  const { mapping } = options
  const dialect = openDialect(mapping)
  dialect.resume(header)
  const batch = emptyBatch()
  takeLine(Line.of(text, mapping.skipLines + 1), dialect, new RecordReader(options), batch)
  return batch
}

function takeLine(line: Line, dialect: Dialect, records: RecordReader, batch: RowBatch): void {
  if (line.isTooLong) {
    batch.rows++
    batch.rejected.push({ line, reason: `it is longer than ${MOST_LINE_BYTES} bytes` })
    return
  }
  if (line.problem !== undefined) {
    batch.rows++
    batch.rejected.push({ line, reason: line.problem })
    return
  }
  if (line.hasNul && dialect.isReady) {
    batch.rows++
    batch.rejected.push({ line, reason: describeNul(line.text.indexOf('\0')) })
    return
  }
  const result = dialect.take(line)
  if (dialect.header !== batch.headers.at(-1)?.text)
    batch.headers.push({ from: line.number, text: dialect.header })
  if (result === undefined) return
  if (isRow(result)) return records.read(result, line, batch)
  batch.rows++
  batch.rejected.push({ line, reason: result.reason })
}

const describeNul = (at: number): string =>
  `it holds a NUL byte in place of character ${at + 1}: it was not written whole`

/** Follows where the header in force begins. */
class HeaderPlace {
  readonly #dialect: Dialect
  #place: Pick<FilePlace, 'header' | 'headerLines'>

  constructor(dialect: Dialect, { header, headerLines }: FilePlace) {
    this.#dialect = dialect
    this.#place = { header, headerLines }
  }

  after(line: Line): Pick<FilePlace, 'header' | 'headerLines'> {
    // `readHeader` finds the header at the same place again.
    if (this.#dialect.headerStart === line.start && line.start > 0)
      this.#place = { header: line.start, headerLines: line.number - 1 }
    return this.#place
  }
}

/** Reads the header in force again, so that the next lines are rows below it. */
async function readHeader(
  open: (offset: number) => AsyncIterable<Uint8Array>,
  { dialect, headerSplitter }: RowFormatParts,
  { header, headerLines, offset }: FilePlace,
): Promise<void> {
  const splitter = headerSplitter({ offset: header, lines: headerLines })
  for await (const chunk of open(header)) {
    for (const line of splitter.push(chunk)) {
      if (dialect.isReady || line.start >= offset) return
      dialect.take(line)
    }
  }
}
