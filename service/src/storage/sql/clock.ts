import type { SqlEngine } from './engine.ts'
import type { TrustedClock } from '../../domain/time/trusted-clock.ts'
import type { ClockStore } from '../storage.ts'

export function clockStore({ all, write }: SqlEngine): ClockStore {
  return {
    async read() {
      const sql = `select version, state from clock_state`
      const [row] = await all<{ version: number; state: string }>({ sql, parameters: [] })
      return row && { version: row.version, state: JSON.parse(row.state) as TrustedClock }
    },

    async write(state, version) {
      const [outcome] = await write([
        {
          sql: `insert into clock_state (id, version, state) values (1, ? + 1, ?)
            on conflict (id) do update set version = excluded.version, state = excluded.state
            where clock_state.version = ?`,
          width: 3,
          values: [version, JSON.stringify(state), version],
        },
      ])
      return outcome?.changed === 1
    },
  }
}
