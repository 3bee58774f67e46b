import type { Columns, SqlEngine } from './engine.ts'
import { newId } from './statement.ts'
import { fromJson } from './from-json.ts'
import type { Tables } from './tables.ts'
import type { MaintenanceStore, StoredMaintenance } from '../stores/maintenance.ts'

export function maintenanceStore({ build, all, write }: SqlEngine): MaintenanceStore {
  return {
    async add({ structures, stations, startsAt, endsAt, reason, createdAt }) {
      const [outcome] = await write([
        {
          sql: `insert into maintenance_windows
            (structures, stations, starts_at, ends_at, reason, created_at)
            values (?, ?, ?, ?, ?, ?)`,
          width: 6,
          values: [
            JSON.stringify(structures),
            JSON.stringify(stations),
            startsAt,
            endsAt,
            reason,
            createdAt,
          ],
          givesId: true,
        },
      ])
      return newId(outcome)
    },

    async list({ since, limit }) {
      let query = build.selectFrom('maintenance_windows').selectAll()
      if (since !== undefined) query = query.where('ends_at', '>=', since)
      const rows = await all(query.orderBy('id', 'desc').limit(limit).compile())
      return rows.map(toWindow)
    },

    async end(id, now) {
      const [outcome] = await write([
        {
          sql: `update maintenance_windows set ended_at = ?, ends_at = ? - 1
            where id = ? and ended_at is null and ends_at >= ?`,
          width: 4,
          values: [now, now, id, now],
        },
      ])
      return outcome?.changed === 1
    },
  }
}

type MaintenanceRow = Columns<'maintenance_windows', keyof Tables['maintenance_windows']>

const toWindow = (row: MaintenanceRow): StoredMaintenance => ({
  id: row.id,
  structures: fromJson<number[]>(row.structures),
  stations: fromJson<number[]>(row.stations),
  startsAt: row.starts_at,
  endsAt: row.ends_at,
  reason: row.reason,
  createdAt: row.created_at,
  endedAt: row.ended_at,
})
