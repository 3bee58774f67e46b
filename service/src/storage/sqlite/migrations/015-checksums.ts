import type { Database } from 'better-sqlite3'
import { checksumsOf, crcOf, type RecordChecksum } from '../../../encodings/record-checksum.ts'
import { Statements } from '../connection/statements.ts'
import { rowSums } from '../integrity/guards.ts'
import { madeSchema } from '../integrity/schema-check.ts'
import { CHECKSUM_COLUMNS, fromChecksum } from '../integrity/checksum-rows.ts'

const KINDS = ['theme', 'raw'] as const

/** Checksums of open records, of some that lie side by side each. */
export const checksums = [
  ...rowSums,
  ...madeSchema,
  ...KINDS.flatMap((kind) => [
    `create table ${kind}_checksums (
    source integer not null,
    start integer not null,
    last integer not null,
    count integer not null,
    length integer not null,
    crc integer not null,
    instants integer not null,
    primary key (source, start)
  ) without rowid`,
    `create table ${kind}_tails (
    source integer primary key,
    start integer not null,
    last integer not null,
    count integer not null,
    length integer not null,
    crc integer not null,
    instants integer not null,
    newest integer not null
  )`,
    // Hours that are kept without one are summed up again.
    `alter table ${kind}_hours add column crc integer not null default -1`,
  ]),
]

const MANY_RECORDS = 1_000_000
const RECORDS_PER_SECOND = 200_000

/** A sentence where there are many open records. */
export function announceChecksums(database: Database): string | undefined {
  const records = database
    .prepare('select (select total(count) from theme_days) + (select total(count) from raw_days)')
    .pluck()
    .get() as number
  if (records < MANY_RECORDS) return undefined
  const seconds = Math.ceil(records / RECORDS_PER_SECOND)
  return `Adding checksums to ${records.toLocaleString('en')} open records takes some ${seconds} s or longer.`
}

/** Gives checksums to the open records that there are already. */
export function addChecksums(database: Database): void {
  for (const kind of KINDS) {
    const nextSource = database
      .prepare(`select min(source) from ${kind}_records where source > ?`)
      .pluck()
    const records = database
      .prepare(
        `select time, record from ${kind}_records where source = ? and time > ? order by time limit ?`,
      )
      .raw()
    const sums = new Statements(database)
    const insert = `insert into ${kind}_checksums (source, ${CHECKSUM_COLUMNS})
      values (?, ?, ?, ?, ?, ?, ?)`
    const insertTail = `insert into ${kind}_tails (source, ${CHECKSUM_COLUMNS}, newest)
      values (?, ?, ?, ?, ?, ?, ?, ?)`
    let source = nextSource.get(Number.MIN_SAFE_INTEGER) as number | null
    for (; source !== null; source = nextSource.get(source) as number | null) {
      let tail: RecordChecksum | undefined
      let newest = ''
      for (let after = Number.MIN_SAFE_INTEGER; ;) {
        const page = records.all(source, after, PAGE_RECORDS) as [time: number, record: string][]
        for (const sum of checksumsOf(source, page)) {
          if (tail !== undefined) sums.get(insert).run(source, ...fromChecksum(tail))
          tail = sum
        }
        ;[after, newest] = page.at(-1) ?? [after, newest]
        if (page.length < PAGE_RECORDS) break
      }
      sums.get(insertTail).run(source, ...fromChecksum(tail!), crcOf(source, newest))
    }
  }
}

/** A multiple of the records that share a checksum. */
const PAGE_RECORDS = 64_000
