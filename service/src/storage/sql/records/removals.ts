import type { SqlReader } from '../engine.ts'
import { SealedRecords } from '../sealed-days/sealed-records.ts'
import { unsealPart } from '../sealed-days/unseal-part.ts'
import { findOpenText } from './find-open-text.ts'
import { eachKey } from './record-rows.ts'
import type { Statement } from '../statement.ts'
import type { SealedPart } from '../../sealed-days/sealed-part.ts'
import type { RecordKeys, RecordKind } from '../../stores/records.ts'

const DAY = 86_400_000

/** A record that a write deletes. */
export type Removed = { kind: RecordKind; source: number; time: number; text: string }

/**
 * Statements that delete records, and those records; a record that does not exist is left out.
 *
 * A sealed part with such a record is unsealed first. The whole write is refused where a record or
 * its part has changed since.
 */
export async function findRemovals(
  reader: SqlReader,
  deletions: Partial<Record<RecordKind, RecordKeys>>,
): Promise<{ removals: Statement[]; removed: Removed[] }> {
  const removals: Statement[] = []
  const removed: Removed[] = []
  for (const kind of ['theme', 'raw'] as const) {
    const keys = deletions[kind]
    if (keys === undefined) continue
    const found = await findAll(reader, kind, keys)
    for (const { id, source, part } of found.parts.values())
      removals.push(...unsealPart(reader.dialect, kind, source, { id, part }))
    removals.push(...deleteRows(kind, found.records))
    removed.push(...found.records)
  }
  return { removals, removed }
}

/** The records and the parts that have them; a key that is given twice is found once. */
async function findAll(reader: SqlReader, kind: RecordKind, keys: RecordKeys) {
  const sealed = new SealedRecords(kind)
  const records = new Map<string, Removed>()
  const parts = new Map<number, { id: number; source: number; part: SealedPart }>()
  for (const { source, time } of eachKey(keys)) {
    const inPart = await sealed.find(reader, source, time)
    const text = (await findOpenText(reader, kind, source, time)) ?? inPart?.text
    if (text === undefined) continue
    records.set(`${source} ${time}`, { kind, source, time, text })
    if (inPart !== undefined) parts.set(inPart.id, { id: inPart.id, source, part: inPart.part })
  }
  return { records: [...records.values()], parts }
}

function deleteRows(kind: RecordKind, records: readonly Removed[]): Statement[] {
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
      set: {
        sql: `delete from ${kind}_records using @given where source = c1 and time between c2 and c3`,
        types: ['bigint', 'bigint', 'bigint'],
      },
    },
    {
      sql: `update ${kind}_open_days set revision = revision + 1, rewrites = rewrites + 1
        where source = ? and day = ?`,
      width: 2,
      set: {
        sql: `update ${kind}_open_days set revision = revision + 1, rewrites = rewrites + 1 from @given
          where source = c1 and day = c2`,
        types: ['bigint', 'bigint'],
      },
      values: [...days.values()].flat(),
    },
  ]
}
