import type { Tuple } from '../engine.ts'
import type { Statement } from '../statement.ts'
import type {
  MarkList,
  MarkRows,
  RecordKeys,
  RecordKind,
  RecordSpan,
} from '../../stores/records.ts'
import type { SqlReader } from '../engine.ts'
import { eachKey } from './record-rows.ts'

const KINDS = ['theme', 'raw'] as const

const MARKS_AT_ONCE = 2_000

type MarkRow = Tuple<'theme_marks', ['time', 'marks']>

/** The marks of a span with their instants, a page at a time. */
export async function* readMarks(
  reader: SqlReader,
  { kind, source, from, to }: RecordSpan,
): AsyncGenerator<MarkList> {
  const sql = `select time, marks from ${kind}_marks
    where source = ? and time between ? and ? order by time limit ${MARKS_AT_ONCE}`
  for (let position = from; position <= to;) {
    const rows = await reader.rows<MarkRow>(sql, source, position, to)
    if (rows.length > 0)
      yield { times: rows.map(([time]) => time), marks: rows.map(([, marks]) => marks) }
    const last = rows.at(-1)
    if (last === undefined || rows.length < MARKS_AT_ONCE) return
    position = last[0] + 1
  }
}

/** The marks of a place. */
export async function findMarks(
  reader: SqlReader,
  kind: RecordKind,
  source: number,
  time: number,
): Promise<string | undefined> {
  const sql = `select marks from ${kind}_marks where source = ? and time = ?`
  return (await reader.row<Tuple<'theme_marks', ['marks']>>(sql, source, time))?.[0]
}

const REPLACED = 'on conflict (source, time) do update set marks = excluded.marks'

/** A statement that deletes the rows of places. */
const deletePlaces = (table: string): Omit<Statement, 'values'> => ({
  sql: `delete from ${table} where source = ? and time = ?`,
  width: 2,
  set: {
    sql: `delete from ${table} using @given where source = c1 and time = c2`,
    types: ['bigint', 'bigint'],
  },
})

/** Statements that delete the marks of deleted records. */
export const deleteMarks = (deletions: Partial<Record<RecordKind, RecordKeys>>): Statement[] =>
  KINDS.flatMap((kind) => {
    const keys = deletions[kind]
    if (keys === undefined || keys.times.length === 0) return []
    return [
      {
        ...deletePlaces(`${kind}_marks`),
        values: Array.from(eachKey(keys)).flatMap(({ source, time }) => [source, time]),
      },
    ]
  })

/** Deletes the marks of a source before an instant. */
export const deleteMarksBefore = (kind: RecordKind, source: number, before: number): Statement => ({
  sql: `delete from ${kind}_marks where source = ? and time < ?`,
  width: 2,
  values: [source, before],
})

/** Statements that store marks in place of earlier ones, or delete them. */
export const writeMarks = (marks: Partial<Record<RecordKind, MarkRows>>): Statement[] =>
  KINDS.flatMap((kind) => {
    const rows = marks[kind]
    if (rows === undefined || rows.times.length === 0) return []
    const stored: unknown[] = []
    const deleted: unknown[] = []
    for (const { source, time, marks } of eachMark(rows))
      if (marks === null) deleted.push(source, time)
      else stored.push(source, time, marks)
    const statements: Statement[] = [
      {
        ...deletePlaces(`${kind}_marks`),
        values: deleted,
      },
      {
        sql: `insert into ${kind}_marks (source, time, marks) values (?, ?, ?) ${REPLACED}`,
        width: 3,
        values: stored,
        rowKey: ['source', 'time'],
        set: {
          sql: `insert into ${kind}_marks (source, time, marks)
            select c1, c2, c3 from @given order by c1, c2 ${REPLACED}`,
          types: ['bigint', 'bigint', 'text'],
          key: 2,
        },
      },
    ]
    return statements.filter(({ values }) => values.length > 0)
  })

/** Marks in columns, one by one. */
export function* eachMark({ sources, times, marks }: MarkRows) {
  for (const [at, source] of sources.entries()) {
    const time = times[at]
    const text = marks[at]
    if (time === undefined || text === undefined)
      throw new RangeError('the columns of marks must be equally long')
    yield { source, time, marks: text }
  }
}
