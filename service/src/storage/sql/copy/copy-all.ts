import { RefusedError } from '../../../errors/refused-error.ts'
import {
  COPIED_TABLES,
  LEFT_OUT,
  openDays,
  openRecords,
  RECORD_KINDS,
  type CopiedTable,
} from './copied-tables.ts'
import { copyDays } from './copy-days.ts'
import type { Statement } from '../statement.ts'
import type { Column, CopySide } from './copy-side.ts'
import { copyTable } from './copy-table.ts'
import { CopyWriter } from './copy-writer.ts'

type CopyOptions = {
  signal: AbortSignal
  /**
   * What earlier passes to the same target found: tables that have not changed since are skipped, and
   * what this pass finds is noted. Without it every row is compared.
   */
  stamps?: Map<string, string>
  /** Receives the number of rows that were read in the source. */
  onRows?(rows: number): void
}

/**
 * One pass: makes the data of `to` that of `from`, and returns how many rows it wrote or deleted. What
 * the source receives meanwhile is left to the next pass.
 */
export async function copyAll(
  from: CopySide,
  to: CopySide,
  { signal, stamps, onRows = () => {} }: CopyOptions,
): Promise<number> {
  const writer = new CopyWriter(to)
  const columns = await findColumns(from, to)
  const copy = { from, to, writer, columns, signal, onRows }
  // A change that is committed after this is found by the next pass, even if this one copies it.
  const names = COPIED_TABLES.map(({ name }) => name)
  const present = stamps === undefined ? NO_STAMPS : await from.readStamps(names)
  for (const table of COPIED_TABLES) {
    const stamp = present.get(table.name)
    if (stamp !== undefined && stamp === stamps?.get(table.name)) continue
    const isWhole = await copyTable(copy, table)
    await writer.flush()
    if (isWhole && stamp !== undefined) stamps?.set(table.name, stamp)
  }
  for (const kind of RECORD_KINDS) {
    await copyDays(copy, kind)
    await writer.flush()
  }
  await copyLastIds(from, to)
  return writer.written
}

const NO_STAMPS: ReadonlyMap<string, string> = new Map()

/** Ids that the source has given out are given out by neither side again. */
async function copyLastIds(from: CopySide, to: CopySide): Promise<void> {
  const statements: Statement[] = []
  for (const { name, key } of COPIED_TABLES) {
    const [column, ...others] = key
    if (others.length > 0 || !['id', 'key'].includes(column) || name === 'waveform_chunks') continue
    const [[highest] = [null]] = await to.rows<[unknown]>(`select max(${column}) from ${name}`)
    const stored = await to.findLastId(name, column)
    const last = Math.max(
      await from.findLastId(name, column),
      typeof highest === 'number' ? highest : 0,
    )
    if (last > stored) statements.push(...to.setLastId(name, column, last))
  }
  if (statements.length > 0) await to.write(statements)
}

/** The columns that are copied, the key first; refuses tables that differ. */
export async function findColumns(
  from: CopySide,
  to: CopySide,
): Promise<ReadonlyMap<string, readonly Column[]>> {
  const [ours, theirs] = [await from.listColumns(), await to.listColumns()]
  const tables = [
    ...COPIED_TABLES,
    ...RECORD_KINDS.flatMap((kind) => [openDays(kind), openRecords(kind)]),
  ]
  const known = new Set(tables.map(({ name }) => name))
  for (const name of ours.keys()) if (!known.has(name) && !LEFT_OUT.has(name)) throw differing(name)
  return new Map(
    tables.map((table) => {
      const columns = copiedColumns(table, ours.get(table.name))
      const others = copiedColumns(table, theirs.get(table.name))
      const isSame =
        columns.length === others.length &&
        columns.every(({ name, type }) =>
          others.some((other) => other.name === name && other.type === type),
        )
      if (!isSame || columns.length === 0) throw differing(table.name)
      return [table.name, columns]
    }),
  )
}

function copiedColumns(
  { key, computed = [], parts }: CopiedTable,
  columns: Column[] = [],
): Column[] {
  const left = new Set([...computed, ...(parts === undefined ? [] : ['deflated'])])
  const isKey = ({ name }: Column): boolean => key.includes(name)
  return [
    ...key.flatMap((name) => columns.find((column) => column.name === name) ?? []),
    ...columns.filter((column) => !isKey(column) && !left.has(column.name)),
  ]
}

const differing = (table: string): RefusedError =>
  new RefusedError(
    'invalid',
    `The table ${table} is not the same in both storages: migrate both to the version of this program with "plumbline migrate".`,
  )
