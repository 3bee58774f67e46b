import { daysOf } from './record-days.ts'
import type { Reader } from '../connection/reader.ts'
import type { Statement, Tuple } from '../../sql/engine.ts'
import type { RawRevisions, RecordKeys, RawSpan } from '../../storage.ts'

/** How the days of raw records stand that lie in these spans. */
export function readRawRevisions(reader: Reader, spans: readonly RawSpan[]): RawRevisions {
  return spans.map(({ source, from, to }) => {
    const [first, last] = daysOf(from, to)
    const rows = reader.rows<Tuple<'raw_open_days', ['day', 'revision', 'since']>>(
      DAYS,
      source,
      first,
      last,
    )
    const days = rows.map(([day, revision, since]) => ({ day, revision, since }))
    return { source, first, last, days }
  })
}

const DAYS = `select day, revision, since from raw_open_days
  where source = ? and day between ? and ?`

/**
 * Lets a write pass only while the days stand as they were noted.
 *
 * With `allowsOwnWrites` they may have been written since, by this writer alone: from the revision
 * after the noted one, or from before it.
 */
export function basisGuards(
  { raw, allowsOwnWrites }: { raw: RawRevisions; allowsOwnWrites: boolean },
  writer: number,
): Statement[] {
  const sole = allowsOwnWrites ? writer : NOBODY
  return [
    {
      sql: `select 1 where
        (select count(*) from raw_open_days where source = ? and day between ? and ?) = ?`,
      width: 4,
      values: raw.flatMap(({ source, first, last, days }) => [source, first, last, days.length]),
      guards: 'records',
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
          sole,
          since,
          revision + 1,
        ]),
      ),
      guards: 'records',
    },
  ]
}

const NOBODY = -1

/** Notes who has taken raw records away, once that has changed their days. */
export function markWriter(gone: RecordKeys | undefined, writer: number): Statement[] {
  if (gone === undefined || gone.times.length === 0) return []
  return [
    {
      sql: `update raw_open_days set writer = ?, since = revision
        where source = ? and day = ? and writer <> ?`,
      width: 4,
      values: gone.times.flatMap((time, at) => [
        writer,
        gone.sources[at],
        ...daysOf(time, time).slice(1),
        writer,
      ]),
    },
  ]
}
