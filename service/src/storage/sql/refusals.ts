import { inSlices } from '../../domain/in-slices.ts'
import type { SqlEngine, Statement } from './engine.ts'
import type { Refusal, RefusalStore } from '../storage.ts'

export function refusalStore({ build, all, write }: SqlEngine): RefusalStore {
  return {
    async add(refusals, keep) {
      if (refusals.length === 0) return
      const origins = [...new Set(refusals.map(({ origin }) => origin))]
      const values: unknown[] = []
      await inSlices(refusals, (refusal) => void values.push(...toRow(refusal)))
      await write([
        {
          sql: `insert into refusals (origin, place, reason, payload, received_at, context)
                values (?, ?, ?, ?, ?, ?)`,
          width: 6,
          values,
        },
        ...origins.flatMap((origin) => makeRoom(origin, keep)),
      ])
    },

    async find(id) {
      const query = build
        .selectFrom('refusals')
        .select([...COLUMNS, 'context'])
        .where('id', '=', id)
      type Row = Refusal & { id: number; context: string | null }
      const [row] = await all<Row>(query.compile())
      return row && { ...row, context: row.context ?? undefined }
    },

    async list({ origin, before, limit }) {
      let query = build.selectFrom('refusals').select(COLUMNS)
      if (origin !== undefined) query = query.where('origin', '=', origin)
      if (before !== undefined) query = query.where('id', '<', before)
      return all(query.orderBy('id', 'desc').limit(limit).compile())
    },

    async count() {
      const sql = `select origin, dropped,
          (select count(*) from refusals where refusals.origin = refusal_drops.origin) as kept
        from refusal_drops order by origin`
      return all({ sql, parameters: [] })
    },

    async remove(ids) {
      const [outcome] = await write([
        { sql: `delete from refusals where id = ?`, width: 1, values: ids },
      ])
      return { removed: outcome?.changed ?? 0 }
    },
  }
}

const COLUMNS = ['id', 'origin', 'place', 'reason', 'payload', 'received_at as receivedAt'] as const

const toRow = ({ origin, place, reason, payload, receivedAt, context }: Refusal) => [
  origin,
  place,
  reason,
  payload,
  receivedAt,
  context ?? null,
]

/** The newest so many of an origin stay. */
function makeRoom(origin: string, keep: number): Statement[] {
  const isTooOld = `origin = ? and id <= coalesce((select id from refusals as kept
    where kept.origin = ? order by id desc limit 1 offset ?), 0)`
  return [
    {
      sql: `insert into refusal_drops (origin, dropped)
            values (?, (select count(*) from refusals where ${isTooOld}))
            on conflict (origin) do update set dropped = refusal_drops.dropped + excluded.dropped`,
      width: 4,
      values: [origin, origin, origin, keep],
    },
    {
      sql: `delete from refusals where ${isTooOld}`,
      width: 3,
      values: [origin, origin, keep],
    },
  ]
}
