import { inSlices } from '../../concurrency/in-slices.ts'
import { boundBytes, type HeldBytes } from '../../domain/rejects/rejected-bytes.ts'
import type { SqlEngine, Statement } from './engine.ts'
import type { DroppedRejects, Reject, RejectStore } from '../storage.ts'

export function rejectStore(engine: SqlEngine): RejectStore {
  const { build, all, write } = engine
  return {
    async add(rejects, { records, sourceBytes, bytes }) {
      if (rejects.length === 0) return []
      const origins = new Map(rejects.map(({ origin, source }) => [origin, source]))
      const values: unknown[] = []
      await inSlices(rejects, (refusal) => void values.push(...toRow(refusal)))
      const [, ...outcomes] = await write([
        {
          sql: `insert into rejects (kind, origin, source, place, reason, payload, received_at, context)
                values (?, ?, ?, ?, ?, ?, ?, ?)`,
          width: 8,
          values,
        },
        ...[...origins.keys()].flatMap((origin) => dropBeyond(origin, records)),
      ])
      // Of each origin first those are counted that are dropped then.
      const beyond = Array.from(origins.values(), (source, at) => ({
        source,
        dropped: outcomes[2 * at + 1]?.changed ?? 0,
      }))
      const held = await all<HeldBytes>(build.selectFrom('reject_bytes').selectAll().compile())
      for (const room of boundBytes(held, { each: sourceBytes, all: bytes }))
        beyond.push(await shrink(engine, room))
      return gather(beyond)
    },

    async find(id) {
      const query = build
        .selectFrom('rejects')
        .select([...COLUMNS, 'kind', 'source', 'context'])
        .where('id', '=', id)
      type Row = Reject & { id: number; context: string | null }
      const [row] = await all<Row>(query.compile())
      return row && { ...row, context: row.context ?? undefined }
    },

    async list({ origin, before, limit }) {
      let query = build.selectFrom('rejects').select(COLUMNS)
      if (origin !== undefined) query = query.where('origin', '=', origin)
      if (before !== undefined) query = query.where('id', '<', before)
      return all(query.orderBy('id', 'desc').limit(limit).compile())
    },

    async count() {
      const sql = `select origin, dropped,
          (select count(*) from rejects where rejects.origin = reject_drops.origin) as kept
        from reject_drops order by origin`
      return all({ sql, parameters: [] })
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

/** The newest so many of an origin stay. */
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

/** Drops the oldest of a source until it has so many bytes; what came last stays. */
async function shrink(
  { all, write }: SqlEngine,
  { source, bytes }: HeldBytes,
): Promise<DroppedRejects> {
  const sql = `select max(id) as last from (
      select id, sum(bytes) over (order by id desc) as held, max(id) over () as newest
      from rejects where source = ?
    ) where held > ? and id < newest`
  const [row] = await all<{ last: number | null }>({ sql, parameters: [source, bytes] })
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

/** Once for each source of which any was dropped. */
function gather(parts: readonly DroppedRejects[]): DroppedRejects[] {
  const sums = new Map<string, number>()
  for (const { source, dropped } of parts)
    if (dropped > 0) sums.set(source, (sums.get(source) ?? 0) + dropped)
  return Array.from(sums, ([source, dropped]) => ({ source, dropped }))
}
