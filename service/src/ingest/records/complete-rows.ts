import { TIME_SUFFIX_LENGTH } from '../../domain/records/record-text.ts'
import { valuesOf } from '../../domain/records/record-values.ts'
import { Turn } from '../../concurrency/turn.ts'
import type { RecordStore } from '../../storage/storage.ts'
import type { RawRow } from './raw-row.ts'

/** Rows between two pauses for other work: each is a query. */
const ROWS_AT_ONCE = 200

/**
 * Adds to each row the values of the stored record of its sensor and instant that the row does not
 * name. Rows of one sensor and instant become one, with the later values.
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
    // Queries run on this thread: without a pause no other work would run until the end.
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
  const query = { kind: 'raw', source: sensor.key, from: time, to: time, shape: 'flat' } as const
  const chunks = await Array.fromAsync(data.read(query))
  if (chunks.length === 0) return []
  // Without the time, which an item may be called as well.
  const record = Buffer.concat(chunks).toString().slice(0, -TIME_SUFFIX_LENGTH)
  return valuesOf(`${record}}`, itemIndex)
}
