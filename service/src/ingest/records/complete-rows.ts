import { TIME_SUFFIX_LENGTH } from '../../domain/records/record-text.ts'
import { Turn } from '../../concurrency/turn.ts'
import type { RecordStore } from '../../storage/storage.ts'
import type { RawRow } from './raw-row.ts'

/** Rows between which other work runs: each is a query. */
const ROWS_AT_ONCE = 200

/**
 * Adds to each row the values that it does not name and that the stored record of its sensor and
 * instant has. Rows of one sensor and instant become one; the later values win.
 */
export async function completeRows(
  data: Pick<RecordStore, 'read'>,
  rows: readonly RawRow[],
): Promise<RawRow[]> {
  const complete = new Map<string, RawRow>()
  const turn = new Turn({ items: ROWS_AT_ONCE })
  for (const row of rows) {
    const place = `${row.sensor.key} ${row.time}`
    const before = complete.get(place)?.values ?? (await readBefore(data, row))
    complete.set(place, { ...row, values: completeValues(row, before) })
    // The database answers at once: without a pause nothing else would run until the end.
    if (turn.isOver()) await turn.pass()
  }
  return [...complete.values()]
}

const completeValues = ({ sensor, values, named }: RawRow, before: RawRow['values']) =>
  Array.from(sensor.itemIndex, ([key, index]) =>
    Object.hasOwn(named, key) ? values[index] : before[index],
  )

async function readBefore(
  data: Pick<RecordStore, 'read'>,
  { sensor, time, named }: RawRow,
): Promise<(number | undefined)[]> {
  const { itemIndex } = sensor
  const isWhole = itemIndex.keys().every((key) => Object.hasOwn(named, key))
  if (isWhole) return []
  const pieces: Uint8Array[] = []
  const query = { kind: 'raw', source: sensor.key, from: time, to: time, shape: 'flat' } as const
  for await (const piece of data.read(query)) pieces.push(piece)
  if (pieces.length === 0) return []
  const stored = readValues(Buffer.concat(pieces).toString())
  return Array.from(itemIndex.keys(), (key) => stored.get(key))
}

function readValues(record: string): Map<string, number> {
  const values = JSON.parse(`${record.slice(0, -TIME_SUFFIX_LENGTH)}}`) as Record<string, number>
  return new Map(Object.entries(values))
}
