import type { SqlEngine } from './engine.ts'
import type { LeaseStore } from '../stores/leases.ts'

export function leaseStore({ write }: SqlEngine): LeaseStore {
  return {
    async take({ name, holder, now, until }) {
      const [outcome] = await write([
        {
          sql: `insert into leases (name, holder, expires_at) values (?, ?, ?)
            on conflict (name) do update
            set holder = excluded.holder, expires_at = excluded.expires_at
            where leases.holder = excluded.holder
              or leases.expires_at <= ? or leases.expires_at > ?`,
          width: 5,
          // A lease that ends much later was taken before the clock was set back, and has expired.
          values: [name, holder, until, now, until + (until - now)],
        },
      ])
      return outcome?.changed === 1
    },

    async leave(name, holder) {
      await write([
        {
          sql: `delete from leases where name = ? and holder = ?`,
          width: 2,
          values: [name, holder],
        },
      ])
    },
  }
}
