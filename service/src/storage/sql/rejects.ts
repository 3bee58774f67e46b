import { inSlices } from '../../concurrency/in-slices.ts'
import { ConflictError } from '../../errors/conflict-error.ts'
import { boundBytes, type HeldBytes } from '../../domain/rejects/rejected-bytes.ts'
import { sql } from 'kysely'
import { rawQuery, type Columns, type SqlEngine } from './engine.ts'
import type { Statement } from './statement.ts'
import type { DroppedRejects, Reject, RejectStore } from '../stores/rejects.ts'

export function rejectStore(engine: SqlEngine): RejectStore {
  const { build, all, first, write } = engine
  return {
    async add(rejects, { records, sourceBytes, bytes }) {
      if (rejects.length === 0) return []
      const origins = new Map(rejects.map(({ origin, source }) => [origin, source]))
      const values: unknown[] = []
      await inSlices(rejects, (reject) => void values.push(...toRow(reject)))
      const [, ...outcomes] = await write([
        {
          sql: `insert into rejects (kind, origin, source, place, reason, payload, received_at, context)
                values (?, ?, ?, ?, ?, ?, ?, ?)`,
          width: 8,
          values,
          set: {
            sql: `insert into rejects
                (kind, origin, source, place, reason, payload, received_at, context)
              select c1, c2, c3, c4, c5, c6, c7, c8 from @given order by given.at`,
            types: ['text', 'text', 'text', 'text', 'text', 'bytea', 'bigint', 'text'],
          },
        },
        ...[...origins.keys()].flatMap((origin) => dropBeyond(origin, records)),
      ])
      // Two statements for each origin: the first counts the rejects that the second deletes.
      const beyond = Array.from(origins.values(), (source, at) => ({
        source,
        dropped: outcomes[2 * at + 1]?.changed ?? 0,
      }))
      const held: HeldBytes[] = await all(build.selectFrom('reject_bytes').selectAll().compile())
      for (const room of boundBytes(held, { each: sourceBytes, all: bytes }))
        beyond.push(await shrink(engine, room))
      return gather(beyond)
    },

    async find(id) {
      const query = build
        .selectFrom('rejects')
        .select([...COLUMNS, 'kind', 'source', 'context'])
        .where('id', '=', id)
      const row = await first(query.compile())
      return row && { ...row, context: row.context ?? undefined }
    },

    async list({ origin, before, limit }) {
      let query = build.selectFrom('rejects').select(COLUMNS)
      if (origin !== undefined) query = query.where('origin', '=', origin)
      if (before !== undefined) query = query.where('id', '<', before)
      return all(query.orderBy('id', 'desc').limit(limit).compile())
    },

    async count() {
      const query = build
        .selectFrom('reject_drops')
        .select(['origin', 'dropped'])
        .select(({ selectFrom, fn }) =>
          fn
            .coalesce(
              selectFrom('rejects')
                .select((row) => row.fn.countAll<number>().as('count'))
                .whereRef('rejects.origin', '=', 'reject_drops.origin'),
              sql.lit(0),
            )
            .as('kept'),
        )
        .orderBy('origin')
      return all(query.compile())
    },

    async changeReason(reject, reason) {
      // The bytes of its source are counted when a row is added or deleted.
      const replaced = write([
        { sql: `delete from rejects where id = ?`, width: 1, values: [reject.id], expected: 1 },
        {
          sql: `insert into rejects
              (id, kind, origin, source, place, reason, payload, received_at, context)
            values (?, ?, ?, ?, ?, ?, ?, ?, ?)`,
          width: 9,
          values: [reject.id, ...toRow({ ...reject, reason })],
        },
      ])
      await replaced.catch((error: unknown) => {
        if (!(error instanceof ConflictError)) throw error
      })
    },

    async remove(ids) {
      const [outcome] = await write([
        { sql: `delete from rejects where id = ?`, width: 1, values: ids },
      ])
      return { removed: outcome?.changed ?? 0 }
    },
  }
}

const COLUMNS = ['id', 'origin', 'place', 'reason', 'payload', 'received_at as receivedAt'] as const

const toRow = ({ kind, origin, source, place, reason, payload, receivedAt, context }: Reject) => [
  kind,
  origin,
  source,
  place,
  reason,
  payload,
  receivedAt,
  context ?? null,
]

/** Statements that drop all but the newest `keep` rejects of an origin. */
function dropBeyond(origin: string, keep: number): Statement[] {
  const isTooOld = `origin = ? and id <= coalesce((select id from rejects as kept
    where kept.origin = ? order by id desc limit 1 offset ?), 0)`
  return [
    {
      sql: `insert into reject_drops (origin, dropped)
            values (?, (select count(*) from rejects where ${isTooOld}))
            on conflict (origin) do update set dropped = reject_drops.dropped + excluded.dropped`,
      width: 4,
      values: [origin, origin, origin, keep],
    },
    {
      sql: `delete from rejects where ${isTooOld}`,
      width: 3,
      values: [origin, origin, keep],
    },
  ]
}

/** Drops the oldest rejects of a source down to a number of bytes; the newest one stays. */
async function shrink(
  { first, write }: SqlEngine,
  { source, bytes }: HeldBytes,
): Promise<DroppedRejects> {
  const row = await first(
    rawQuery<{ last: Columns<'rejects', 'id'>['id'] | null }>(
      `select max(id) as last from (
          select id, sum(bytes) over (order by id desc) as held, max(id) over () as newest
          from rejects where source = ?
        ) as newest_first where held > ? and id < newest`,
      [source, bytes],
    ),
  )
  const last = row?.last ?? 0
  const [, outcome] = await write([
    {
      sql: `insert into reject_drops (origin, dropped)
            select origin, count(*) from rejects where source = ? and id <= ? group by origin
            on conflict (origin) do update set dropped = reject_drops.dropped + excluded.dropped`,
      width: 2,
      values: [source, last],
    },
    { sql: `delete from rejects where source = ? and id <= ?`, width: 2, values: [source, last] },
  ])
  return { source, dropped: outcome?.changed ?? 0 }
}

/** Adds up the drops of each source. */
function gather(parts: readonly DroppedRejects[]): DroppedRejects[] {
  const sums = new Map<string, number>()
  for (const { source, dropped } of parts)
    if (dropped > 0) sums.set(source, (sums.get(source) ?? 0) + dropped)
  return Array.from(sums, ([source, dropped]) => ({ source, dropped }))
}
