import Sqlite, { type Database } from 'better-sqlite3'
import { splitContent } from '../../service/src/domain/alarms/content-template.ts'
import { registerRowCheck } from '../../service/src/storage/sqlite/integrity/row-check.ts'
import { randomNumbers } from './statistics.ts'

export const STRUCTURES = Array.from({ length: 50 }, (_, at) => at + 1)
const SOURCES = 5_000
const ITEMS = ['Strain', 'Displacement', '沉降', 'Tilt', '应变', 'Cable force']
const UNITS = ['µε', 'mm', 'mm', '°', 'µε', 'kN']

export const FIRST_ALARM = Date.UTC(2023, 0, 1)
export const ALARM_SPAN = 3 * 365 * 86_400_000

/** The number of newest alarms that are open, each of another source. */
const OPEN = 5_000

/** Fifty structures, users that see all of them. */
export const ALARM_SITE = `
timeZone: Asia/Shanghai
users: [{ id: 1, name: Bench, structures: all }]
structureTypes: [{ id: 2, name: Bridge }]
structures:
${STRUCTURES.map((id) => `  - { id: ${id}, name: Bridge ${id}, type: 2, latitude: 30, longitude: 114 }`).join('\n')}
`

/** Alarms of three years, most of them of values; every tenth has two items over a limit. */
export function fillAlarms(file: string, count: number): void {
  const database = new Sqlite(file)
  registerRowCheck(database)
  try {
    database.pragma('synchronous = OFF')
    database.pragma('cache_size = -500000')
    const insert = database.prepare(`insert into alarms (structure_id, source_id, source_name_id,
        source_type, category, type_code, level, template_id, numbers, count, state, start_time, end_time)
      values (?, ?, ?, 2, ?, '3007', ?, ?, ?, ?, ?, ?, ?)`)
    const nameId = keptTexts(database, 'alarm_source_names', 'name')
    const templateId = keptTexts(database, 'alarm_templates', 'template')
    const random = randomNumbers(7)
    const below = (limit: number) => Math.floor(random() * limit)
    const violation = (level: number) => {
      const item = below(ITEMS.length)
      const value = (random() * 300 - 150).toFixed(below(4))
      return `${ITEMS[item]}: ${value}${UNITS[item]}, level ${level} threshold (${(4 - level) * 40},+)`
    }
    database.transaction(() => {
      for (let number = 0; number < count; number++) {
        const isOpen = number >= count - OPEN
        const source = isOpen ? count - number : 1 + below(SOURCES)
        const level = 1 + below(3)
        const start = FIRST_ALARM + (number / count) * ALARM_SPAN
        const category = random() < 0.8 ? 1 : 2 + below(4)
        const isDouble = random() < 0.1
        const { template, numbers } = splitContent(
          isDouble ? `${violation(level)}; ${violation(3)}` : violation(level),
        )
        insert.run(
          1 + (source % STRUCTURES.length),
          String(source),
          nameId(`${source % 7 === 0 ? '测点' : 'Station'} SG-${source}`),
          category,
          level,
          templateId(template),
          numbers,
          1 + Math.floor(50 * random() ** 3),
          isOpen ? below(3) : 3 + Number(random() < 0.2),
          Math.floor(start / 1000),
          Math.floor((start + random() ** 4 * 30 * 86_400_000) / 1000),
        )
      }
    })()
    database.pragma('wal_checkpoint(TRUNCATE)')
  } finally {
    database.close()
  }
}

/** Keeps each text once, and gives its id. */
function keptTexts(database: Database, table: string, column: string): (text: string) => number {
  const insert = database.prepare(`insert into ${table} (${column}, folded) values (?, ?)`)
  const ids = new Map<string, number>()
  return (text) =>
    ids.getOrInsertComputed(text, () =>
      Number(insert.run(text, text.toLowerCase()).lastInsertRowid),
    )
}

export const localTime = (instant: number): string =>
  new Date(instant).toISOString().slice(0, 19).replace('T', ' ')
