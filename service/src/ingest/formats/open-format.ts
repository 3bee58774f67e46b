import { LineSplitter } from '../../encodings/csv/lines.ts'
import { CsvDialect } from './csv-dialect.ts'
import type { Dialect } from './dialect.ts'
import type { Mapping } from './mapping.ts'
import { MixedArrayDialect } from './mixed-array-dialect.ts'
import { NulTail } from './nul-tail.ts'
import { requireEncoding } from './require-encoding.ts'
import type { RowSplitter } from './row-splitter.ts'
import { Toa5Dialect } from './toa5-dialect.ts'
import { TobDialect } from './tob/tob-dialect.ts'
import { TobSplitter } from './tob/tob-splitter.ts'

/** A place in a file: its offset, and the lines before it. */
type SplitterPlace = { offset: number; lines: number }

/** A format of rows: how the bytes of a file are divided, and what its lines mean. */
export type RowFormatParts = {
  dialect: Dialect
  /** Opens a splitter at a place; behind the header once the dialect has read that. */
  splitter(place: SplitterPlace): RowSplitter
  /** Opens a splitter of the lines of a header. */
  headerSplitter(place: SplitterPlace): RowSplitter
  /** The space that the writer reserved at the end. */
  tail: Pick<NulTail, 'length' | 'isTooLong'>
  /** The bytes of the file that are data; from its beginning they are checked. */
  data(chunks: AsyncIterable<Uint8Array>, isBeginning: boolean): AsyncIterable<Uint8Array>
}

/** Opens the format of a mapping for one file. */
export function openFormat(mapping: Mapping, mostReservedBytes?: number): RowFormatParts {
  const { format } = mapping
  return format === 'tob1' || format === 'tob3'
    ? openBinary(new TobDialect(mapping, format), format)
    : openText(new DIALECTS[format](mapping), mapping, mostReservedBytes)
}

/** Opens what reads single rows of a mapping. */
export const openDialect = (mapping: Mapping): Dialect => openFormat(mapping).dialect

const DIALECTS: Readonly<
  Record<Exclude<Mapping['format'], 'tob1' | 'tob3'>, new (mapping: Mapping) => Dialect>
> = {
  csv: CsvDialect,
  toa5: Toa5Dialect,
  mixedArray: MixedArrayDialect,
  // The rows of a sheet come as CSV.
  xlsx: CsvDialect,
}

function openText(
  dialect: Dialect,
  { encoding }: Mapping,
  mostReservedBytes: number | undefined,
): RowFormatParts {
  const tail = new NulTail(encoding, mostReservedBytes)
  const splitter = (place: SplitterPlace) => new LineSplitter({ encoding, ...place })
  return {
    dialect,
    splitter,
    headerSplitter: splitter,
    tail,
    data(chunks, isBeginning) {
      const written = tail.cutOff(chunks)
      return isBeginning ? requireEncoding(written, encoding) : written
    },
  }
}

function openBinary(dialect: TobDialect, format: 'tob1' | 'tob3'): RowFormatParts {
  return {
    dialect,
    splitter: (place) => new TobSplitter({ format, header: dialect.fileHeader, ...place }),
    headerSplitter: (place) => new LineSplitter({ encoding: 'latin1', ...place }),
    // NUL bytes are data.
    tail: { length: 0, isTooLong: false },
    data: (chunks) => chunks,
  }
}
