import type { SqlEngine } from './engine.ts'
import type { DeviceStore } from '../storage.ts'

export function deviceStore({ build, all, write }: SqlEngine): DeviceStore {
  return {
    async writeContacts(contacts) {
      await write([
        {
          sql: `insert into device_contacts (device_id, time) values (?, ?)
                on conflict (device_id) do update set time = excluded.time
                where excluded.time > device_contacts.time`,
          width: 2,
          values: contacts.flatMap(({ device, time }) => [device, time]),
        },
      ])
    },

    async listContacts() {
      const query = build.selectFrom('device_contacts').select(['device_id as device', 'time'])
      return all(query.orderBy('device_id').compile())
    },
  }
}
