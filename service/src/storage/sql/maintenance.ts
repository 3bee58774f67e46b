import type { SqlEngine } from './engine.ts'
import type { Tables } from './tables.ts'
import type { MaintenanceStore, StoredMaintenance } from '../storage.ts'

export function maintenanceStore({ build, all, write }: SqlEngine): MaintenanceStore {
  return {
    async add({ structures, stations, from, to, reason, createdAt }) {
      const [outcome] = await write([
        {
          sql: `insert into maintenance_windows
            (structures, stations, from_time, to_time, reason, created_at)
            values (?, ?, ?, ?, ?, ?)`,
          width: 6,
          values: [
            JSON.stringify(structures),
            JSON.stringify(stations),
            from,
            to,
            reason,
            createdAt,
          ],
        },
      ])
      return outcome!.lastId
    },

    async list({ since, limit }) {
      let query = build.selectFrom('maintenance_windows').selectAll()
      if (since !== undefined) query = query.where('to_time', '>=', since)
      const rows = await all<Row>(query.orderBy('id', 'desc').limit(limit).compile())
      return rows.map(toWindow)
    },

    async end(id, now) {
      const [outcome] = await write([
        {
          sql: `update maintenance_windows set ended_at = ?, to_time = ? - 1
            where id = ? and ended_at is null and to_time >= ?`,
          width: 4,
          values: [now, now, id, now],
        },
      ])
      return outcome?.changed === 1
    },
  }
}

type Row = Omit<Tables['maintenance_windows'], 'id'> & { id: number }

const toWindow = (row: Row): StoredMaintenance => ({
  id: row.id,
  structures: JSON.parse(row.structures) as number[],
  stations: JSON.parse(row.stations) as number[],
  from: row.from_time,
  to: row.to_time,
  reason: row.reason,
  createdAt: row.created_at,
  endedAt: row.ended_at,
})
