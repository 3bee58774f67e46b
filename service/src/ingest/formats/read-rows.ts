import { CsvDialect } from './csv-dialect.ts'
import { isRow, type Dialect } from './dialect.ts'
import { Line } from '../../encodings/csv/line.ts'
import { LineSplitter, MOST_LINE_BYTES } from '../../encodings/csv/lines.ts'
import type { Mapping } from './mapping.ts'
import { MixedArrayDialect } from './mixed-array-dialect.ts'
import { NulTail } from './nul-tail.ts'
import { emptyBatch, RecordReader, type RowBatch, type ZoneOf } from './records.ts'
import { requireEncoding } from './require-encoding.ts'
import { Toa5Dialect } from './toa5-dialect.ts'
import { untilAborted } from './until-aborted.ts'

/** How far a file has been read, and where the header in force begins: in bytes and in lines. */
export type Place = { offset: number; lines: number; header: number; headerLines: number }

export const BEGINNING: Place = { offset: 0, lines: 0, header: 0, headerLines: 0 }

/** The rows up to a place; a file that is read on goes on there. */
export type PlacedBatch = RowBatch & {
  place: Place
  /** The same without a last line that no line break ends, and that line. */
  closed: Place
  openLine: string | undefined
  /** Of the last batch: the NUL bytes that end the file, which are no data. */
  nulTail: number
  /** Of the last batch: those and the NUL bytes before lines. */
  nulBytes: number
  /** Of the last batch: whether more NUL bytes follow than are read. */
  isCutOff: boolean
}

export type ReadOptions = {
  mapping: Mapping
  zoneOf: ZoneOf
  /** Where an earlier reading ended. */
  from?: Place
  /** Whether a last line without a line break is whole. */
  takesOpenLine: boolean
  /** Whether the line at `from` was taken before it had a line break; it is passed over then. */
  isTaken?(text: string): boolean
  /** About how many records a batch holds at most; of long rows fewer. */
  batchRecords?: number
  /** More NUL bytes in a row than this end the reading; what stands before them is read. */
  mostReservedBytes?: number
  /** Aborted, reading throws its reason. */
  signal?: AbortSignal
}

const BATCH_RECORDS = 4000
const BATCH_BYTES = 256 * 1024
const NOT_LAST = { openLine: undefined, nulTail: 0, nulBytes: 0, isCutOff: false }

/** What tells the lines of such a file apart. */
export const openDialect = (mapping: Mapping): Dialect => new DIALECTS[mapping.format](mapping)

const DIALECTS: Readonly<Record<Mapping['format'], new (mapping: Mapping) => Dialect>> = {
  csv: CsvDialect,
  toa5: Toa5Dialect,
  mixedArray: MixedArrayDialect,
}

/**
 * Reads the rows of a file in batches, with memory that does not grow with it.
 *
 * `open` gives the bytes from an offset on. A row that cannot be taken is in its batch, with its
 * reason; a file whose header does not fit is refused, and so is one of another encoding. The last
 * batch says how far it came, and may be without rows.
 */
export async function* readRows(
  open: (offset: number) => AsyncIterable<Uint8Array>,
  options: ReadOptions,
): AsyncGenerator<PlacedBatch> {
  const { mapping, zoneOf, from = BEGINNING, takesOpenLine } = options
  const { batchRecords = BATCH_RECORDS, isTaken, mostReservedBytes, signal } = options
  const openUntilAborted = (offset: number) => untilAborted(open(offset), signal)
  const dialect = openDialect(mapping)
  const records = new RecordReader(mapping, zoneOf)
  const header = new HeaderPlace(dialect, from)
  let place = from
  let batch = emptyBatch()
  let begin = from.offset

  if (from.offset > 0) await readHeader(openUntilAborted, dialect, mapping, from)
  const splitter = new LineSplitter({
    encoding: mapping.encoding,
    offset: from.offset,
    lines: from.lines,
  })
  const take = (line: Line): void => {
    const isRepeated = place === from && isTaken?.(line.text) === true
    if (!isRepeated) takeLine(line, dialect, records, batch)
    place = { offset: line.end, lines: line.number, ...header.after(line) }
  }
  const tail = new NulTail(mapping.encoding, mostReservedBytes)
  const written = tail.cutOff(openUntilAborted(from.offset))
  for await (const chunk of from.offset > 0
    ? written
    : requireEncoding(written, mapping.encoding)) {
    signal?.throwIfAborted()
    for (const line of splitter.push(chunk)) {
      take(line)
      if (countOf(batch) < batchRecords && line.end - begin < BATCH_BYTES) continue
      yield { ...batch, ...NOT_LAST, place, closed: place }
      batch = emptyBatch(batch.headers.slice(-1))
      begin = line.end
    }
  }
  const closed = place
  const last = takesOpenLine ? splitter.end() : undefined
  if (last !== undefined) take(last)
  const nulTail = tail.length
  const nulBytes = nulTail + splitter.nulBytes
  const isCutOff = tail.isTooLong
  yield { ...batch, place, closed, openLine: last?.text, nulTail, nulBytes, isCutOff }
}

/** What a line comes to by itself, as a row below a header. */
export function readRow(
  text: string,
  header: string | undefined,
  { mapping, zoneOf }: Pick<ReadOptions, 'mapping' | 'zoneOf'>,
): RowBatch {
  const dialect = openDialect(mapping)
  dialect.resume(header)
  const batch = emptyBatch()
  takeLine(Line.of(text, mapping.skipLines + 1), dialect, new RecordReader(mapping, zoneOf), batch)
  return batch
}

const countOf = ({ raw, theme, refused, rows, headers }: RowBatch): number =>
  // Rows without any record end a batch too: a place must be kept now and then.
  Math.max(raw.length + theme.length + refused.length, rows, headers.length)

function takeLine(line: Line, dialect: Dialect, records: RecordReader, batch: RowBatch): void {
  if (line.isTooLong) {
    batch.rows++
    batch.refused.push({ line, reason: `it is longer than ${MOST_LINE_BYTES} bytes` })
    return
  }
  if (line.hasNul && dialect.isReady) {
    batch.rows++
    batch.refused.push({ line, reason: describeNul(line.text.indexOf('\0')) })
    return
  }
  const taken = dialect.take(line)
  if (dialect.header !== batch.headers.at(-1)?.text)
    batch.headers.push({ from: line.number, text: dialect.header })
  if (taken === undefined) return
  if (isRow(taken)) return records.read(taken, line, batch)
  batch.rows++
  batch.refused.push({ line, reason: taken.reason })
}

const describeNul = (at: number): string =>
  `it holds a NUL byte in place of character ${at + 1}: it was not written whole`

/** Follows where the header in force begins. */
class HeaderPlace {
  readonly #dialect: Dialect
  #place: Pick<Place, 'header' | 'headerLines'>

  constructor(dialect: Dialect, { header, headerLines }: Place) {
    this.#dialect = dialect
    this.#place = { header, headerLines }
  }

  after(line: Line): Pick<Place, 'header' | 'headerLines'> {
    // A header read again was found at the same place.
    if (this.#dialect.headerStart === line.start && line.start > 0)
      this.#place = { header: line.start, headerLines: line.number - 1 }
    return this.#place
  }
}

/** Reads the header in force once more: what comes is rows of it. */
async function readHeader(
  open: (offset: number) => AsyncIterable<Uint8Array>,
  dialect: Dialect,
  { encoding }: Mapping,
  { header, headerLines, offset }: Place,
): Promise<void> {
  const splitter = new LineSplitter({ encoding, offset: header, lines: headerLines })
  for await (const chunk of open(header)) {
    for (const line of splitter.push(chunk)) {
      if (dialect.isReady || line.start >= offset) return
      dialect.take(line)
    }
  }
}
