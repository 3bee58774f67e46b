import { ByteWriter, ParquetWriter } from 'hyparquet-writer'
import { formatOffsetTime } from '../domain/time/offset-text.ts'
import type { Layout } from './layout.ts'
import type { Rows } from './read-rows.ts'

/** So many values are gathered, in all columns together, before they are written. */
const GROUP_VALUES = 1_000_000
const GROUP_ROWS = 100_000

type Kind = 'text' | 'instant' | 'number'
type Column = { name: string; kind: Kind; data: unknown[] }
type Element = ConstructorParameters<typeof ParquetWriter>[0]['schema'][number]

const ELEMENTS: Readonly<Record<Kind, Omit<Element, 'name'>>> = {
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
}

/**
 * Yields a Parquet file, a row group at a time.
 *
 * Instants are timestamps of UTC in milliseconds, items doubles or null, all else UTF-8 texts.
 */
export async function* writeParquet(
  layout: Layout,
  rows: AsyncIterable<Rows>,
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
  for await (const piece of rows)
    for (let from = 0; from < piece.times.length;) {
      const until = Math.min(piece.times.length, from + most - columns[0]!.data.length)
      for (let at = from; at < until; at++) addRow(layout, columns, piece, at)
      from = until
      if (columns[0]!.data.length === most) yield writeGroup(parquet, writer, columns)
    }
  if (columns[0]!.data.length > 0) yield writeGroup(parquet, writer, columns)
  await parquet.finish()
  yield take(writer)
}

function columnsOf({ names, times, items }: Layout): Column[] {
  const [texts, instants] = times === 'utc' ? [[], ['time']] : [['time'], ['instant']]
  return [
    ...[...names, ...texts].map(column('text')),
    ...instants.map(column('instant')),
    ...items.map(column('number')),
  ]
}

const column =
  (kind: Kind) =>
  (name: string): Column => ({ name, kind, data: [] })

function addRow(layout: Layout, columns: Column[], { source, times, values }: Rows, at: number) {
  const instant = times[at]!
  let place = 0
  if (layout.names.length > 0) {
    columns[place++]!.data.push(source.id)
    columns[place++]!.data.push(source.name)
  }
  if (layout.times === 'local') columns[place++]!.data.push(source.zone.toLocal(instant))
  if (layout.times === 'offset')
    columns[place++]!.data.push(formatOffsetTime(instant, source.zone.spanAt(instant).offset))
  columns[place++]!.data.push(BigInt(instant))
  for (const value of values[at]!) columns[place++]!.data.push(value)
}

function writeGroup(parquet: ParquetWriter, writer: ByteWriter, columns: Column[]): Uint8Array {
  const columnData = columns.map(({ name, data }) => ({ name, data }))
  void parquet.write({ columnData, rowGroupSize: columnData[0]!.data.length })
  for (const column of columns) column.data = []
  return take(writer)
}

/** What has been written since; the writer's count of bytes goes on. */
function take(writer: ByteWriter): Uint8Array {
  const bytes = writer.getBytes().slice()
  writer.index = 0
  return bytes
}
