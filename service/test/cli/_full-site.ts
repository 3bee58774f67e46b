import { rmSync } from 'node:fs'
import { cp } from 'node:fs/promises'
import { join } from 'node:path'
import { recordText } from '../../src/domain/records/record-text.ts'
import { zone } from '../../src/domain/time/local-time.ts'
import { COPIED_TABLES, type CopiedTable } from '../../src/storage/sql/copy/copied-tables.ts'
import { insertRows } from '../../src/storage/sql/copy/row-statements.ts'
import type { Column, CopySide, Row, Value } from '../../src/storage/sql/copy/copy-side.ts'
import { openSqlite } from '../../src/storage/sqlite/open.ts'
import type { RecordRows, Storage } from '../../src/storage/storage.ts'
import { applySite } from '../../src/site/apply/apply.ts'
import { randomNumbers } from '../_random.ts'
import { SITE } from '../_site.ts'
import { workplace } from './_cli.ts'

const MINUTE = 60_000
const DAY = 86_400_000

/** Some days in the past, which can be sealed. */
export const START = Date.UTC(2026, 1, 1)
export const DAYS = 5

type Random = () => number

/** Records of a station every ten minutes, as ingest writes them. */
export function strains(station: number, from: number, count: number): RecordRows {
  const times = Array.from({ length: count }, (_, at) => from + at * 10 * MINUTE)
  const local = zone('Asia/Shanghai')
  return {
    sources: times.map(() => station),
    times,
    records: times.map((time) =>
      recordText(['"strain":'], [Math.sin(time / 7e6) * 100], local.toLocal(time)),
    ),
  }
}

/** What the folders of a process are copied from: to fill one takes longer than many a test. */
const originals = new Map<boolean, Promise<string>>()

/**
 * Makes a folder of data with a site, open and sealed records and corrections, and rows in every
 * other table. All folders of a process are the same.
 */
export async function fillFolder(folder: string, { isSealed = true } = {}): Promise<void> {
  const original = await originals.getOrInsertComputed(isSealed, fillOriginal)
  await cp(original, folder, { recursive: true })
}

async function fillOriginal(isSealed: boolean): Promise<string> {
  const place = await workplace()
  process.once('exit', () => rmSync(place.folder, { recursive: true, force: true }))
  const folder = dataOf(place.folder)
  {
    await using storage = await openSqlite(folder)
    await applySite(storage, { text: SITE, fileName: 'site.yaml' })
    for (const station of [1001, 1002])
      await storage.records.write({ theme: strains(station, START, DAYS * 144) })
    const [[key] = [0]] = await storage.copying.rows<[number]>('select min(key) from sensors')
    await storage.records.write({ raw: strains(key, START, DAYS * 144) })
  }
  if (isSealed) await place.json('seal')
  await using storage = await openSqlite(folder)
  // A correction of a sealed day, and a recent one that is open.
  await storage.records.write({ theme: strains(1001, START + DAY + 5 * MINUTE, 2) })
  await storage.records.write({ theme: strains(1001, Date.now() - DAY, 300) })
  await fillTables(storage)
  return folder
}

/** Tables that the site, the records and the commands have filled, or whose rows would change what the service does. */
const FILLED = new Set([
  'meta',
  'site_entries',
  'default_groups',
  'sensors',
  'clock_state',
  'audit_lines',
])

async function fillTables({ copying }: Storage): Promise<void> {
  const random = randomNumbers()
  const columns = await copying.listColumns()
  for (const table of COPIED_TABLES)
    if (table.parts === undefined && !FILLED.has(table.name))
      await fillTable(copying, table, columns.get(table.name) ?? [], random)
}

async function fillTable(
  side: CopySide,
  table: CopiedTable,
  columns: readonly Column[],
  random: Random,
): Promise<void> {
  const filled = columns.filter(({ name }) => !(table.computed ?? []).includes(name))
  const ordered = [
    ...table.key.flatMap((name) => filled.find((column) => column.name === name) ?? []),
    ...filled.filter(({ name }) => !table.key.includes(name)),
  ]
  const rows = Array.from({ length: 130 }, (_, at): Row =>
    ordered.map((column) =>
      // A service evaluates early records when their time has come, and then they are gone.
      table.name === 'early_records' && column.name === 'time'
        ? Date.now() + DAY + at
        : valueOf(column, at + 1, random),
    ),
  )
  await side.write(insertRows(side.dialect, table, ordered, rows))
}

const TEXTS = ['', 'é', '車', '🚚', '\u{ff5e}', "it's", 'a\\b', '{"a":1}', '"', ' ']

/** A value that is different in each row, and its number where the column refers to another table. */
function valueOf({ name, type }: Column, row: number, random: Random): Value {
  if (type === 'double precision') return random() * 100
  if (type === 'bytea') return Buffer.from(Array.from({ length: row }, () => random() * 256))
  const text = TEXTS[Math.floor(random() * TEXTS.length)] ?? ''
  if (type === 'text')
    return name === 'application_id' || name === 'id' ? `${row}` : `${row}${text}`
  // Alarms that are closed: of the open ones there is one for each source.
  if (name === 'state') return 3 + (row % 2)
  return row
}

export const dataOf = (folder: string): string => join(folder, 'data')
