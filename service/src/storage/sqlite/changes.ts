import { crc32 } from 'node:zlib'
import type { Corrected } from './corrections.ts'
import { readRecord } from './read-lists.ts'
import type { Reader } from './reader.ts'
import type { Writer } from './writer.ts'
import type { Statement } from '../sql/engine.ts'
import type { Change, ChangeStore, RecordBatch, RecordKind, WriteOptions } from '../storage.ts'

const KINDS = ['theme', 'raw'] as const

/** Writes records, and further statements in the same transaction. */
type Write = (
  batch: RecordBatch,
  options: WriteOptions,
  further: readonly Statement[],
) => Promise<unknown>

export function changeStore(reader: Reader, writer: Writer, write: Write): ChangeStore {
  return {
    async begin({ kind, description, startedAt }) {
      const [outcome] = await writer.write([
        {
          sql: `insert into changes (kind, description, started_at) values (?, ?, ?)`,
          width: 3,
          values: [kind, description, startedAt],
        },
      ])
      return outcome!.lastId
    },

    async finish(id, now) {
      await mark(writer, 'finished_at', id, now)
    },

    async list() {
      return reader
        .rows<[number, Change['kind'], string, number, number | null, number | null, number]>(
          `select id, kind, description, started_at, finished_at, undone_at,
              (select count(*) from change_rows where change = id) from changes order by id`,
        )
        .map(([id, kind, description, startedAt, finishedAt, undoneAt, records]) => {
          return { id, kind, description, startedAt, finishedAt, undoneAt, records }
        })
    },

    async undo(id, { limit, now }) {
      const rows = reader.rows<ChangeRow>(
        `select kind, source, time, written, previous from change_rows
          where change = ? order by kind, source, time limit ?`,
        id,
        limit,
      )
      const batch = { theme: emptyRows(), raw: emptyRows() }
      const gone = { theme: emptyKeys(), raw: emptyKeys() }
      let left = 0
      for (const [kind, source, time, written, previous] of rows) {
        const current = readRecord(reader, kind, source, time)
        if (fingerprint(current) !== written) {
          left++
          continue
        }
        const keys = previous === null ? gone[kind] : batch[kind]
        keys.sources.push(source)
        keys.times.push(time)
        if (previous !== null) batch[kind].records.push(previous)
      }
      const forget: Statement = {
        sql: `delete from change_rows where change = ? and kind = ? and source = ? and time = ?`,
        width: 4,
        values: rows.flatMap(([kind, source, time]) => [id, kind, source, time]),
      }
      if (rows.length > 0) await write(batch, { gone }, [forget])
      const isDone = rows.length < limit
      if (isDone) await mark(writer, 'undone_at', id, now)
      return { restored: rows.length - left, left, isDone }
    },

    async forget(before, limit) {
      const [outcome] = await writer.write([
        {
          sql: `delete from change_rows where (change, kind, source, time) in (
              select change, kind, source, time from change_rows
              where change in (select id from changes where started_at < ?) limit ?)`,
          width: 2,
          values: [before, limit],
        },
      ])
      const isDone = (outcome?.changed ?? 0) < limit
      if (isDone)
        await writer.write([
          { sql: `delete from changes where started_at < ?`, width: 1, values: [before] },
        ])
      return { isDone }
    },
  }
}

type ChangeRow = [
  kind: RecordKind,
  source: number,
  time: number,
  written: number | null,
  previous: string | null,
]

const emptyKeys = () => ({ sources: [] as number[], times: [] as number[] })
const emptyRows = () => ({ ...emptyKeys(), records: [] as string[] })

const mark = (writer: Writer, column: string, id: number, now: number) =>
  writer.write([
    { sql: `update changes set ${column} = ? where id = ?`, width: 2, values: [now, id] },
  ])

/** By what a record is known again. */
const fingerprint = (text: string | undefined): number | null =>
  text === undefined ? null : crc32(text)

/**
 * Keeps what a write is about to replace; it goes before the write.
 *
 * Of several writes of one change the first one's earlier record stays, which is what was there
 * before the change.
 */
export function rememberChange(change: number, { rows, sealed, removed }: Corrected): Statement[] {
  const statements = KINDS.map((kind): Statement => {
    const { sources = [], times = [], records = [] } = rows[kind] ?? {}
    return {
      sql: `insert into change_rows (change, kind, source, time, written, previous)
        select ?, '${kind}', ?, ?, ?,
          coalesce((select record from ${kind}_records where source = ? and time = ?), ?)
        where true ${REPEATED}`,
      width: 7,
      values: times.flatMap((time, at) => {
        const source = sources[at]
        const earlier = sealed[kind]?.[at] ?? null
        return [change, source, time, fingerprint(records[at]), source, time, earlier]
      }),
    }
  })
  const removals: Statement = {
    sql: `insert into change_rows (change, kind, source, time, written, previous)
      values (?, ?, ?, ?, null, ?) ${REPEATED}`,
    width: 5,
    values: removed.flatMap(({ kind, source, time, text }) => [change, kind, source, time, text]),
  }
  return [...statements, removals].filter(({ values }) => values.length > 0)
}

const REPEATED = `on conflict (change, kind, source, time) do update set written = excluded.written`
