import { ByteWriter, ParquetWriter } from 'hyparquet-writer'
import { formatOffsetTime } from '../domain/time/offset-text.ts'
import { qualityHeader, type ExportLayout, type ExportSource } from './columns.ts'
import type { ExportRow, ExportRows } from './read-records.ts'

/** The most values of a row group, in all columns together. */
const GROUP_VALUES = 1_000_000
const GROUP_ROWS = 100_000

type ColumnKind = 'text' | 'instant' | 'number' | 'quality'
type Column = { name: string; kind: ColumnKind; data: unknown[] }
type Element = ConstructorParameters<typeof ParquetWriter>[0]['schema'][number]

const ELEMENTS: Readonly<Record<ColumnKind, Omit<Element, 'name'>>> = {
  text: {
    type: 'BYTE_ARRAY',
    converted_type: 'UTF8',
    logical_type: { type: 'STRING' },
    repetition_type: 'REQUIRED',
  },
  instant: {
    type: 'INT64',
    converted_type: 'TIMESTAMP_MILLIS',
    logical_type: { type: 'TIMESTAMP', isAdjustedToUTC: true, unit: 'MILLIS' },
    repetition_type: 'REQUIRED',
  },
  number: { type: 'DOUBLE', repetition_type: 'OPTIONAL' },
  quality: {
    type: 'BYTE_ARRAY',
    converted_type: 'UTF8',
    logical_type: { type: 'STRING' },
    repetition_type: 'OPTIONAL',
  },
}

/**
 * Yields a Parquet file, one row group at a time.
 *
 * Instants are timestamps of UTC in milliseconds, items doubles or null, qualities texts or null, other
 * columns UTF-8 texts.
 */
export async function* writeParquet(
  layout: ExportLayout,
  parts: AsyncIterable<ExportRows>,
): AsyncGenerator<Uint8Array> {
  const columns = columnsOf(layout)
  const most = Math.min(GROUP_ROWS, Math.ceil(GROUP_VALUES / columns.length))
  const writer = new ByteWriter()
  const parquet = new ParquetWriter({
    writer,
    schema: [
      { name: 'root', num_children: columns.length },
      ...columns.map(({ name, kind }) => ({ name, ...ELEMENTS[kind] })),
    ],
    createdBy: 'plumbline',
  })
  let count = 0
  for await (const { source, rows } of parts)
    for (const row of rows) {
      const cells = cellsOf(layout, source, row)
      for (const [place, { data }] of columns.entries()) data.push(cells[place])
      if (++count < most) continue
      yield writeGroup(parquet, writer, columns, count)
      count = 0
    }
  if (count > 0) yield writeGroup(parquet, writer, columns, count)
  await parquet.finish()
  yield take(writer)
}

function columnsOf({ names, times, items, hasQuality }: ExportLayout): Column[] {
  const [texts, instants] = times === 'utc' ? [[], ['time']] : [['time'], ['instant']]
  return [
    ...[...names, ...texts].map(column('text')),
    ...instants.map(column('instant')),
    ...items.flatMap((item) => [
      column('number')(item),
      ...(hasQuality ? [column('quality')(qualityHeader(item))] : []),
    ]),
  ]
}

const column =
  (kind: ColumnKind) =>
  (name: string): Column => ({ name, kind, data: [] })

/** The values of a row in the order of the columns. */
function cellsOf(
  { names, times, hasQuality }: ExportLayout,
  { id, name, zone }: ExportSource,
  { time, values, qualities = [] }: ExportRow,
): unknown[] {
  const cells: unknown[] = names.length > 0 ? [id, name] : []
  if (times === 'local') cells.push(zone.toLocal(time))
  if (times === 'offset') cells.push(formatOffsetTime(time, zone.spanAt(time).offset))
  cells.push(BigInt(time))
  for (const [place, value] of values.entries()) {
    cells.push(value)
    if (hasQuality) cells.push(qualities[place] ?? null)
  }
  return cells
}

function writeGroup(
  parquet: ParquetWriter,
  writer: ByteWriter,
  columns: readonly Column[],
  rowGroupSize: number,
): Uint8Array {
  const columnData = columns.map(({ name, data }) => ({ name, data }))
  void parquet.write({ columnData, rowGroupSize })
  for (const column of columns) column.data = []
  return take(writer)
}

/** The bytes since the last call. The writer goes on counting from the start of the file. */
function take(writer: ByteWriter): Uint8Array {
  const bytes = writer.getBytes().slice()
  writer.index = 0
  return bytes
}
