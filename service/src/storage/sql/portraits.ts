import type { SqlEngine } from './engine.ts'
import type { PictureType, PortraitStore } from '../stores/portraits.ts'

export function portraitStore({ build, all, first, check, write }: SqlEngine): PortraitStore {
  return {
    async put(structure, { type, hash, picture }) {
      await write([
        {
          sql: `insert into portraits (structure_id, type, hash, picture) values (?, ?, ?, ?)
            on conflict (structure_id) do update
            set type = excluded.type, hash = excluded.hash, picture = excluded.picture`,
          width: 4,
          values: [structure, type, hash, picture],
        },
      ])
    },

    async remove(structure) {
      await write([
        { sql: `delete from portraits where structure_id = ?`, width: 1, values: [structure] },
      ])
    },

    async find(structure) {
      const query = build
        .selectFrom('portraits')
        .select(['type', 'hash'])
        .where('structure_id', '=', structure)
      const row = await first(query.compile())
      return row && { ...row, type: row.type as PictureType }
    },

    async load(structure, hash) {
      const query = build
        .selectFrom('portraits')
        .select(['type', 'hash', 'picture'])
        .where('structure_id', '=', structure)
        .where('hash', '=', hash)
      const row = await first(query.compile())
      if (row === undefined) return undefined
      check({ table: 'portraits', owner: 0, from: structure, to: structure })
      return { ...row, type: row.type as PictureType }
    },

    async setPositions(structure, positions) {
      await write([
        {
          sql: `delete from station_positions where structure_id = ?`,
          width: 1,
          values: [structure],
        },
        {
          sql: `insert into station_positions (station_id, structure_id, x, y) values (?, ?, ?, ?)
            on conflict (station_id) do update
            set structure_id = excluded.structure_id, x = excluded.x, y = excluded.y`,
          width: 4,
          values: positions.flatMap(({ station, x, y }) => [station, structure, x, y]),
        },
      ])
    },

    async listPositions(structure) {
      const query = build
        .selectFrom('station_positions')
        .select(['station_id as station', 'x', 'y'])
        .where('structure_id', '=', structure)
        .orderBy('station_id')
      return all(query.compile())
    },
  }
}
