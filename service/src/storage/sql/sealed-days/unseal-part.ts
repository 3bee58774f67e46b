import { dropPart, withLocation } from './sealed-parts.ts'
import { dayCounts } from '../records/record-days.ts'
import { openPart, type SealedPart } from '../../sealed-days/sealed-part.ts'
import type { Dialect } from '../dialect.ts'
import { lockSources, type Statement } from '../statement.ts'
import type { RecordKind } from '../../stores/records.ts'

/** Statements that store the records of a part as rows again; its corrections stay as they are. */
export function unsealPart(
  dialect: Dialect,
  kind: RecordKind,
  source: number,
  { id, part }: { id: number; part: SealedPart },
): Statement[] {
  const { times, texts } = withLocation({ kind, source }, part, () => openPart(part))
  const rows = {
    sources: texts.map(() => source),
    times: Array.from(times),
    records: texts.map((text) => Buffer.from(text).toString()),
  }
  return [
    lockSources(kind, [source]),
    { ...dropPart(kind, source, id), expected: 1 },
    {
      sql: `insert into ${kind}_records (source, time, record) values (?, ?, ?)
        on conflict (source, time) do nothing`,
      width: 3,
      rowKey: ['source', 'time'],
      values: rows.times.flatMap((time, at) => [source, time, rows.records[at]]),
      checked: { kind, as: 'records' },
    },
    dayCounts(dialect, kind, rows),
  ]
}
