import type { Removed } from './corrections.ts'
import type { Reader } from '../connection/reader.ts'
import { SealedRecords } from '../sealed-days/sealed-records.ts'
import { reopening } from '../sealed-days/sealed-days.ts'
import type { Statement } from '../../sql/engine.ts'
import type { SealedPart } from '../../sealed-days/sealed-part.ts'
import type { RecordKeys, RecordKind } from '../../storage.ts'

const DAY = 86_400_000

/**
 * Statements that take records away, and what these were; one that is not there needs none.
 *
 * A sealed part that holds such a record is opened first. The whole write is refused when a record
 * or its part is no longer where it was seen.
 */
export function findRemovals(
  reader: Reader,
  gone: Partial<Record<RecordKind, RecordKeys>>,
): { removals: Statement[]; removed: Removed[] } {
  const removals: Statement[] = []
  const removed: Removed[] = []
  for (const kind of ['theme', 'raw'] as const) {
    const keys = gone[kind]
    if (keys === undefined) continue
    const found = findAll(reader, kind, keys)
    for (const { id, source, part } of found.parts.values())
      removals.push(...reopening(kind, source, id, part))
    removals.push(...deletions(kind, found.records))
    removed.push(...found.records)
  }
  return { removals, removed }
}

/** The records and where they are; the same one twice is found once. */
function findAll(reader: Reader, kind: RecordKind, { sources, times }: RecordKeys) {
  const sealed = new SealedRecords(reader, kind)
  const records = new Map<string, Removed>()
  const parts = new Map<number, { id: number; source: number; part: SealedPart }>()
  for (const [at, time] of times.entries()) {
    const source = sources[at]!
    const inPart = sealed.find(source, time)
    const text = openText(reader, kind, source, time) ?? inPart?.text
    if (text === undefined) continue
    records.set(`${source} ${time}`, { kind, source, time, text })
    if (inPart !== undefined) parts.set(inPart.id, { id: inPart.id, source, part: inPart.part })
  }
  return { records: [...records.values()], parts }
}

/** The record as an open row has it. */
export function openText(
  reader: Reader,
  kind: RecordKind,
  source: number,
  time: number,
): string | undefined {
  const sql = `select record from ${kind}_records where source = ? and time = ?`
  return reader.row<[string]>(sql, source, time)?.[0]
}

function deletions(kind: RecordKind, records: readonly Removed[]): Statement[] {
  if (records.length === 0) return []
  const days = new Map(
    records.map(({ source, time }) => {
      const day = Math.floor(time / DAY)
      return [`${source} ${day}`, [source, day]]
    }),
  )
  return [
    {
      sql: `delete from ${kind}_records where source = ? and time between ? and ?`,
      width: 3,
      values: records.flatMap(({ source, time }) => [source, time, time]),
      checked: { kind, as: 'spans' },
      expected: records.length,
    },
    {
      sql: `update ${kind}_open_days set revision = revision + 1 where source = ? and day = ?`,
      width: 2,
      values: [...days.values()].flat(),
    },
  ]
}
