import { crc32 } from 'node:zlib'
import { RECORD_KINDS, COPIED_TABLES, openRecords, type CopiedTable } from './copied-tables.ts'
import { readPages } from './compare-rows.ts'
import { findColumns } from './copy-all.ts'
import type { Column, CopySide, Row } from './copy-side.ts'
import { sumRecords, type Damage, type Sum } from './sum-records.ts'
import type { RecordKind } from '../../stores/records.ts'
import { DamageError } from '../../../errors/damage-error.ts'

/** What was compared, and sentences about damage of the source and about what differs. */
export type Verification = {
  records: number
  rows: number
  damages: string[]
  differences: string[]
}

/**
 * Compares two storages by counts and checksums: the records of each station and sensor, and the rows of
 * every table. Both are read at the same time.
 */
export async function verifyCopy(
  from: CopySide,
  to: CopySide,
  { signal, onRows = () => {} }: { signal: AbortSignal; onRows?(rows: number): void },
): Promise<Verification> {
  const columns = await findColumns(from, to)
  const found: Verification = { records: 0, rows: 0, damages: [], differences: [] }
  for (const table of COPIED_TABLES) {
    const names = columns.get(table.name) ?? []
    const [one, other] = await ofBoth(from, to, (side) => sumTable(side, table, names, signal))
    found.rows += one.rows
    onRows(one.rows)
    if (!areSound(found, '', one, other)) continue
    for (const key of new Set([...one.sums.keys(), ...other.sums.keys()]))
      found.differences.push(
        ...compare(nameGroup(table, key), table, one.sums.get(key), other.sums.get(key)),
      )
  }
  for (const kind of RECORD_KINDS) {
    const table = openRecords(kind)
    const names = await nameSources(from, kind)
    const sources = await ofBoth(from, to, (side) => listSources(side, kind))
    for (const source of new Set(sources.flat())) {
      const [one, other] = await ofBoth(from, to, (side) =>
        sumRecords(side, { kind, source }, signal),
      )
      found.records += one.count
      onRows(one.count)
      const name = nameGroup(table, names.get(source) ?? source)
      if (areSound(found, `${name}: `, one, other))
        found.differences.push(...compare(name, table, one, other))
    }
  }
  return found
}

/** Reads both sides at the same time. */
const ofBoth = <Result>(
  from: CopySide,
  to: CopySide,
  read: (side: CopySide) => Promise<Result>,
): Promise<[Result, Result]> => Promise.all([read(from), read(to)])

/** Notes damage; that of the source is what the target has too. */
function areSound(found: Verification, place: string, one: Damage, other: Damage): boolean {
  if (one.damage !== undefined) found.damages.push(`${place}${one.damage}`)
  else if (other.damage !== undefined)
    found.differences.push(`${place}the target cannot be read: ${other.damage}`)
  return one.damage === undefined && other.damage === undefined
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

type TableSums = Damage & { rows: number; sums: Map<unknown, Sum> }

/** The rows of a table by what they belong to. */
async function sumTable(
  side: CopySide,
  table: CopiedTable,
  columns: readonly Column[],
  signal: AbortSignal,
): Promise<TableSums> {
  const names = columns.map(({ name }) => name)
  const at = names.indexOf(table.group?.column ?? '')
  const found: TableSums = { rows: 0, sums: new Map() }
  for await (const rows of readPages(side, { table, columns: names })) {
    signal.throwIfAborted()
    for (const row of rows) {
      const key = at < 0 ? undefined : row[at]
      const { count, crc } = found.sums.get(key) ?? NONE
      found.sums.set(key, { count: count + 1, crc: addRow(crc, row) })
    }
    found.rows += rows.length
  }
  try {
    side.check(table.name)
  } catch (error) {
    if (!(error instanceof DamageError)) throw error
    found.damage = error.message
  }
  return found
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

/** Makes the next copy compare every open record again. */
export const forgetDays = (to: CopySide): Promise<void> =>
  to.write(
    RECORD_KINDS.map((kind) => ({ sql: `delete from ${kind}_open_days`, width: 0, values: [] })),
  )

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
