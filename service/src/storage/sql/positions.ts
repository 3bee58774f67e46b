import type { SqlEngine } from './engine.ts'
import type { Statement } from './statement.ts'
import type { PositionStore } from '../stores/positions.ts'

export function positionStore({ build, all, first, write }: SqlEngine): PositionStore {
  return {
    async find(name) {
      const query = build.selectFrom('positions').select('position').where('name', '=', name)
      const row = await first(query.compile())
      return row?.position
    },

    async set(name, position) {
      await write([setPosition(name, position)])
    },

    async list(after, limit) {
      const query = build.selectFrom('positions').selectAll().where('name', '>', after)
      return all(query.orderBy('name').limit(limit).compile())
    },

    async remove(name, position) {
      const sql = `delete from positions where name = ? and position = ?`
      await write([{ sql, width: 2, values: [name, position] }])
    },
  }
}

export const setPosition = (name: string, position: string): Statement => ({
  sql: `insert into positions (name, position) values (?, ?)
        on conflict (name) do update set position = excluded.position`,
  width: 2,
  values: [name, position],
})
