import type { SqlEngine } from './engine.ts'
import { fromJson } from './from-json.ts'
import type { TrustedClock } from '../../domain/time/trusted-clock.ts'
import type { ClockStore } from '../stores/clock.ts'

export function clockStore({ build, first, write }: SqlEngine): ClockStore {
  return {
    async read() {
      const row = await first(
        build.selectFrom('clock_state').select(['version', 'state']).compile(),
      )
      return row && { version: row.version, state: fromJson<TrustedClock>(row.state) }
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
