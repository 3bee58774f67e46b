import { setImmediate } from 'node:timers/promises'
import { beyond, nextChecksumSql, toChecksum, type ChecksumRow } from './checksum-rows.ts'
import type { Reader } from '../connection/reader.ts'
import { daysOf } from '../../sql/records/record-days.ts'
import { DamageError } from '../../../errors/damage-error.ts'
import { crcOf, matches, type RecordChecksum } from '../../../encodings/record-checksum.ts'
import type { InspectedRecords, RecordKind } from '../../stores/records.ts'

const NOT_WRITTEN = 'its open records do not match their checksum'
const NO_ENTRY = 'its open records have no entry for their day'

/** Compares the open records of every source with their checksums. */
export async function* inspectOpen(
  reader: Reader,
  kind: RecordKind,
): AsyncGenerator<InspectedRecords> {
  let source = Number.MIN_SAFE_INTEGER
  while (true) {
    const next = nextSource(reader, kind, source)
    if (next === undefined) return
    source = next
    try {
      yield* inspectSource(reader, kind, source)
    } catch (error) {
      if (!(error instanceof DamageError)) throw error
      yield { source, start: 0, records: 0, damage: error.message }
    }
  }
}

function nextSource(reader: Reader, kind: RecordKind, after: number): number | undefined {
  const tables = [
    `${kind}_records`,
    `${kind}_checksums`,
    `${kind}_last_checksums`,
    `${kind}_open_days`,
  ]
  const sources = tables.flatMap((table) => {
    const sql = `select min(source) from ${table} where source > ?`
    return reader.row<[number | null]>(sql, after)?.[0] ?? []
  })
  return sources.length === 0 ? undefined : Math.min(...sources)
}

async function* inspectSource(
  reader: Reader,
  kind: RecordKind,
  source: number,
): AsyncGenerator<InspectedRecords> {
  let after = Number.MIN_SAFE_INTEGER
  while (true) {
    const from = after
    const found = reader.snapshot(() => inspectNext(reader, kind, source, from))
    if (found.result !== undefined) yield { source, ...found.result }
    if (found.after === undefined) return
    after = found.after
    await setImmediate()
  }
}

type InspectionStep = { result?: Omit<InspectedRecords, 'source'>; after?: number }

/**
 * Inspects the next checksum that ends after an instant, its records, and records before it that have
 * no checksum. A checksum that has grown since its inspection is inspected again.
 */
function inspectNext(
  reader: Reader,
  kind: RecordKind,
  source: number,
  after: number,
): InspectionStep {
  const sum = nextChecksum(reader, kind, source, after)
  const stray = reader.row<[number]>(
    `select time from ${kind}_records
      where source = ? and time > ? and time < ? order by time limit 1`,
    source,
    after,
    sum?.start ?? Number.MAX_SAFE_INTEGER,
  )
  if (stray !== undefined) {
    const result = { start: stray[0], records: 0, damage: NOT_WRITTEN }
    return sum === undefined ? { result } : { result, after: sum.start - 1 }
  }
  if (sum === undefined) return {}
  const rows = reader.rows<[time: number, record: string]>(
    `select time, record from ${kind}_records where source = ? and time between ? and ?`,
    source,
    sum.start,
    sum.last,
  )
  const { start } = sum
  if (!matches(source, sum, rows) || !isNewest(reader, kind, source, sum, rows))
    return {
      result: { start, records: 0, damage: NOT_WRITTEN },
      after: Math.max(after + 1, start, sum.last),
    }
  const lost = rows.find(([time]) => !hasEntry(reader, kind, source, time))
  const records = rows.filter(([time]) => time > after).length
  const result = { start: lost?.[0] ?? start, records }
  return {
    result: lost === undefined ? result : { ...result, damage: NO_ENTRY },
    after: sum.last,
  }
}

function nextChecksum(
  reader: Reader,
  kind: RecordKind,
  source: number,
  after: number,
): RecordChecksum | undefined {
  const row = reader.row<ChecksumRow>(nextChecksumSql(kind), ...beyond(source, after))
  return row && toChecksum(row)
}

function hasEntry(reader: Reader, kind: RecordKind, source: number, time: number): boolean {
  const sql = `select 1 from ${kind}_open_days where source = ? and day = ?`
  return reader.row(sql, source, daysOf(time, time)[0]) !== undefined
}

/** Whether the last checksum of a source is also right about its newest record alone. */
function isNewest(
  reader: Reader,
  kind: RecordKind,
  source: number,
  { start }: RecordChecksum,
  rows: readonly (readonly [time: number, record: string])[],
): boolean {
  const sql = `select newest from ${kind}_last_checksums where source = ? and start = ?`
  const tail = reader.row<[newest: number]>(sql, source, start)
  const [, newest] = rows.at(-1) ?? []
  return tail === undefined || (newest !== undefined && tail[0] === crcOf(source, newest))
}
