import { crc32 } from 'node:zlib'
import { eachOf } from '../../../domain/records/record-list.ts'
import { DamageError } from '../../../errors/damage-error.ts'
import type { Storage } from '../../storage.ts'
import type { RecordKind } from '../../stores/records.ts'
import { readPages } from './compare-rows.ts'
import { COPIED_TABLES, RECORD_KINDS, openRecords, type CopiedTable } from './copied-tables.ts'
import { findColumns } from './copy-all.ts'
import type { Column, CopySide, Row } from './copy-side.ts'

type Verified = Pick<Storage, 'copying' | 'records'>

/** How many rows of a table belong to something, and the CRC-32 of all of them in order. */
type Sum = { count: number; crc: number }

type RecordSum = Sum & { damage?: string }

/** What was compared, and sentences about what differs. */
export type Verification = { records: number; rows: number; differences: string[] }

const EVER = { from: -8_640_000_000_000_000, to: 8_640_000_000_000_000 }

/**
 * Compares two storages by counts and checksums: the records of each station and sensor as readers get
 * them, and the rows of every table.
 */
export async function verifyCopy(
  from: Verified,
  to: Verified,
  { signal, onRows = () => {} }: { signal: AbortSignal; onRows?(rows: number): void },
): Promise<Verification> {
  const columns = await findColumns(from.copying, to.copying)
  const found: Verification = { records: 0, rows: 0, differences: [] }
  for (const table of COPIED_TABLES) {
    const names = columns.get(table.name) ?? []
    const one = await sumTable(from.copying, table, names, signal)
    const other = await sumTable(to.copying, table, names, signal)
    const rows = one.values().reduce((sum, { count }) => sum + count, 0)
    found.rows += rows
    onRows(rows)
    for (const key of new Set([...one.keys(), ...other.keys()]))
      found.differences.push(...compare(nameGroup(table, key), table, one.get(key), other.get(key)))
  }
  for (const kind of RECORD_KINDS) {
    const table = openRecords(kind)
    const names = await nameSources(from.copying, kind)
    const sources = new Set([
      ...(await listSources(from.copying, kind)),
      ...(await listSources(to.copying, kind)),
    ])
    for (const source of sources) {
      const name = nameGroup(table, names.get(source) ?? source)
      const one = await sumRecords(from, kind, source, signal)
      const other = await sumRecords(to, kind, source, signal)
      found.records += one.count
      onRows(one.count)
      const damages = [describeDamage('source', one), describeDamage('target', other)].flat()
      const differences =
        damages.length > 0
          ? damages.map((damage) => `${name}: ${damage}`)
          : compare(name, table, one, other)
      found.differences.push(...differences)
    }
  }
  return found
}

const NONE: Sum = { count: 0, crc: 0 }

function compare(group: string, { name, noun }: CopiedTable, one = NONE, other = NONE): string[] {
  const what = noun ?? name.replaceAll('_', ' ')
  const place = group === '' ? '' : `${group}: `
  if (one.count !== other.count)
    return [`${place}the source has ${one.count} ${what}, the target ${other.count}`]
  if (one.crc === other.crc) return []
  return [`${place}the ${what} of the target are not those of the source`]
}

const nameGroup = ({ group }: CopiedTable, key: unknown): string =>
  group === undefined ? '' : `${group.noun} ${String(key)}`

/** The rows of a table by what they belong to. */
async function sumTable(
  side: CopySide,
  table: CopiedTable,
  columns: readonly Column[],
  signal: AbortSignal,
): Promise<Map<unknown, Sum>> {
  const names = columns.map(({ name }) => name)
  const at = names.indexOf(table.group?.column ?? '')
  const sums = new Map<unknown, Sum>()
  for await (const rows of readPages(side, { table, columns: names })) {
    signal.throwIfAborted()
    for (const row of rows) {
      const key = at < 0 ? undefined : row[at]
      const { count, crc } = sums.get(key) ?? NONE
      sums.set(key, { count: count + 1, crc: addRow(crc, row) })
    }
  }
  return sums
}

function addRow(crc: number, row: Row): number {
  let sum = crc
  for (const value of row)
    sum =
      value instanceof Uint8Array
        ? crc32(value, crc32(`${value.length}:`, sum))
        : crc32(`${typeof value} ${String(value).length}:${String(value)}`, sum)
  return sum
}

const describeDamage = (side: string, { damage }: RecordSum): string[] =>
  damage === undefined ? [] : [`the records of the ${side} cannot be read: ${damage}`]

/** Makes the next copy compare every open record again. */
export const forgetDays = (to: CopySide): Promise<void> =>
  to.write(
    RECORD_KINDS.map((kind) => ({ sql: `delete from ${kind}_open_days`, width: 0, values: [] })),
  )

/** The records of a source as readers get them, open and sealed. */
async function sumRecords(
  { records }: Verified,
  kind: RecordKind,
  source: number,
  signal: AbortSignal,
): Promise<RecordSum> {
  let [count, crc] = [0, 0]
  try {
    for await (const list of records.readLists({ kind, source, ...EVER })) {
      signal.throwIfAborted()
      for (const [time, text] of eachOf(list)) {
        count++
        crc = crc32(text, crc32(`${time} `, crc))
      }
    }
  } catch (error) {
    if (!(error instanceof DamageError)) throw error
    return { count, crc, damage: error.message }
  }
  return { count, crc }
}

async function listSources(side: CopySide, kind: RecordKind): Promise<number[]> {
  const rows = await side.rows<[number]>(
    `select source from ${kind}_open_days union select source from ${kind}_sealed_parts
      union select distinct source from ${kind}_records order by 1`,
  )
  return rows.flat()
}

/** The ids of sensors, which records name by their keys. */
async function nameSources(side: CopySide, kind: RecordKind): Promise<Map<number, string>> {
  if (kind === 'theme') return new Map()
  return new Map(await side.rows<[number, string]>('select key, id from sensors'))
}
