import type { SqlEngine } from './engine.ts'
import type { DeviceStore } from '../stores/devices.ts'

export function deviceStore({ build, all, write }: SqlEngine): DeviceStore {
  return {
    async writeContacts(contacts, now = Infinity) {
      await write([
        {
          sql: `insert into device_contacts (device_id, time) values (?, ?)
                on conflict (device_id) do update set time = excluded.time
                where excluded.time > device_contacts.time or device_contacts.time > ?`,
          width: 3,
          values: contacts.flatMap(({ device, time }) => [device, time, now]),
        },
      ])
    },

    async listContacts() {
      const query = build.selectFrom('device_contacts').select(['device_id as device', 'time'])
      return all(query.orderBy('device_id').compile())
    },

    async writeErrors(errors, now = Infinity) {
      await write([
        {
          sql: `insert into device_errors (device_id, time, error) values (?, ?, ?)
                on conflict (device_id) do update set time = excluded.time, error = excluded.error
                where excluded.time > device_errors.time or device_errors.time > ?`,
          width: 4,
          values: errors.flatMap(({ device, time, error }) => [device, time, error, now]),
        },
      ])
    },

    async listErrors() {
      const query = build.selectFrom('device_errors').select(['device_id as device', 'time'])
      return all(query.select('error').orderBy('device_id').compile())
    },
  }
}
