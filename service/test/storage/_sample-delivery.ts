import type { NewDelivery, Storage, StoredAlarm } from '../../src/storage/storage.ts'
import { sampleAlarm } from './_sample-alarm.ts'

export const alarm = (id: number, parts: Partial<StoredAlarm> = {}): StoredAlarm =>
  sampleAlarm(id, { source: { id: `${1000 + id}`, name: '测点' }, ...parts })

export const delivery = (parts: Partial<NewDelivery> = {}): NewDelivery => ({
  kind: 'alarm',
  outboxEntry: null,
  alarm: 1,
  step: 0,
  structure: 1,
  channel: 'mail',
  rules: ['office', '值班'],
  message: '{"id":"alarm-1-0"}',
  reason: null,
  createdAt: 1000,
  ...parts,
})

export const NOTHING = {
  entries: [],
  deliveries: [],
  reminders: [],
  snapshots: [],
  endedAlarms: [],
}

export const deliver = (storage: Storage, ...deliveries: Partial<NewDelivery>[]) =>
  storage.outbox.fanOut({ ...NOTHING, deliveries: deliveries.map(delivery) })

export const idsOf = (list: readonly { id: number }[]): number[] => list.map(({ id }) => id)

export const dueIds = async (storage: Storage, now: number, channel = 'mail'): Promise<number[]> =>
  idsOf(await storage.deliveries.listDue(channel, now, 100))

export const listAll = (storage: Storage) => storage.deliveries.list({ limit: 100 })
