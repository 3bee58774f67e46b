import { CsvDialect } from './csv-dialect.ts'
import { isRow, type Dialect } from './dialect.ts'
import { BEGINNING, type FilePlace } from './file-place.ts'
import { Line } from '../../encodings/csv/line.ts'
import { LineSplitter, MOST_LINE_BYTES } from '../../encodings/csv/lines.ts'
import type { Mapping } from './mapping.ts'
import { MixedArrayDialect } from './mixed-array-dialect.ts'
import { NulTail } from './nul-tail.ts'
import { emptyBatch, RecordReader, type RowBatch, type ZoneOf } from './records.ts'
import type { UnitOf } from './read-columns.ts'
import { requireEncoding } from './require-encoding.ts'
import { Toa5Dialect } from './toa5-dialect.ts'
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

/** Opens the dialect of a mapping. */
export const openDialect = (mapping: Mapping): Dialect => new DIALECTS[mapping.format](mapping)

const DIALECTS: Readonly<Record<Mapping['format'], new (mapping: Mapping) => Dialect>> = {
  csv: CsvDialect,
  toa5: Toa5Dialect,
  mixedArray: MixedArrayDialect,
}

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
  const { mapping, from = BEGINNING, takesOpenLine } = options
  const { batchRecords = BATCH_RECORDS, isTaken, mostReservedBytes, signal } = options
  const openUntilAborted = (offset: number) => untilAborted(open(offset), signal)
  const dialect = openDialect(mapping)
  const records = new RecordReader(options)
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

/** Reads one line as a row below a header. */
export function readRow(
  text: string,
  header: string | undefined,
  options: Pick<RowReadingOptions, 'mapping' | 'zoneOf' | 'unitOf'>,
): RowBatch {
  const { mapping } = options
  const dialect = openDialect(mapping)
  dialect.resume(header)
  const batch = emptyBatch()
  takeLine(Line.of(text, mapping.skipLines + 1), dialect, new RecordReader(options), batch)
  return batch
}

const countOf = ({ raw, theme, rejected, rows, headers }: RowBatch): number =>
  // Rows without a record end a batch too: the place is stored with each batch.
  Math.max(raw.length + theme.length + rejected.length, rows, headers.length)

function takeLine(line: Line, dialect: Dialect, records: RecordReader, batch: RowBatch): void {
  if (line.isTooLong) {
    batch.rows++
    batch.rejected.push({ line, reason: `it is longer than ${MOST_LINE_BYTES} bytes` })
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
  dialect: Dialect,
  { encoding }: Mapping,
  { header, headerLines, offset }: FilePlace,
): Promise<void> {
  const splitter = new LineSplitter({ encoding, offset: header, lines: headerLines })
  for await (const chunk of open(header)) {
    for (const line of splitter.push(chunk)) {
      if (dialect.isReady || line.start >= offset) return
      dialect.take(line)
    }
  }
}
