import { daysOf } from './record-days.ts'
import { eachKey } from './record-rows.ts'
import type { SqlReader } from '../engine.ts'
import type { Tuple } from '../engine.ts'
import type { Statement } from '../statement.ts'
import type { RawRevisions, RawSpan, RecordKeys } from '../../stores/records.ts'

/** Reads the revisions of the days of raw records in some spans. */
export function readRawRevisions(
  reader: SqlReader,
  spans: readonly RawSpan[],
): Promise<RawRevisions> {
  const read = async ({ source, from, to }: RawSpan) => {
    const [first, last] = daysOf(from, to)
    const rows = await reader.rows<Tuple<'raw_open_days', ['day', 'revision', 'since']>>(
      DAYS,
      source,
      first,
      last,
    )
    const days = rows.map(([day, revision, since]) => ({ day, revision, since }))
    return { source, first, last, days }
  }
  return Promise.all(spans.map(read))
}

const DAYS = `select day, revision, since from raw_open_days
  where source = ? and day between ? and ?`

/**
 * Guards that refuse a write unless the days still have the revisions that were read.
 *
 * With `allowsOwnWrites` this writer alone may have written them since: `since` is the revision from
 * which on no other writer wrote.
 */
export function basisGuards(
  { raw, allowsOwnWrites }: { raw: RawRevisions; allowsOwnWrites: boolean },
  writer: number,
): Statement[] {
  const soleWriter = allowsOwnWrites ? writer : NO_WRITER
  return [
    {
      sql: `select 1 where
        (select count(*) from raw_open_days where source = ? and day between ? and ?) = ?`,
      width: 4,
      values: raw.flatMap(({ source, first, last, days }) => [source, first, last, days.length]),
      guards: 'records',
      set: {
        sql: `select 1 from @given where
          (select count(*) from raw_open_days where source = c1 and day between c2 and c3) = c4`,
        types: ['bigint', 'bigint', 'bigint', 'bigint'],
      },
    },
    {
      sql: `select 1 from raw_open_days where source = ? and day = ?
        and (revision = ? or (writer = ? and since in (?, ?)))`,
      width: 6,
      values: raw.flatMap(({ source, days }) =>
        days.flatMap(({ day, revision, since }) => [
          source,
          day,
          revision,
          soleWriter,
          since,
          revision + 1,
        ]),
      ),
      guards: 'records',
      set: {
        sql: `select 1 from raw_open_days join @given on source = c1 and day = c2
          where revision = c3 or (writer = c4 and since in (c5, c6))`,
        types: ['bigint', 'bigint', 'bigint', 'bigint', 'bigint', 'bigint'],
      },
    },
  ]
}

const NO_WRITER = -1

/** Marks the writer on the days of raw records that it has deleted, after the deletion. */
export function markWriter(deletions: RecordKeys | undefined, writer: number): Statement[] {
  if (deletions === undefined || deletions.times.length === 0) return []
  return [
    {
      sql: `update raw_open_days set writer = ?, since = revision
        where source = ? and day = ? and writer <> ?`,
      width: 4,
      values: Array.from(eachKey(deletions)).flatMap(({ source, time }) => [
        writer,
        source,
        ...daysOf(time, time).slice(1),
        writer,
      ]),
    },
  ]
}
