import { setImmediate } from 'node:timers/promises'
import type { DeviceSigns } from '../domain/alarms/offline-detection.ts'
import type { Catalogue } from '../domain/site/catalogue.ts'
import type { Storage } from '../storage/storage.ts'

/** Sensors that are read before other work runs. */
const SENSORS_AT_ONCE = 500

type SignTimes = { now: number; horizon: number }

/**
 * Reads the last signs of life of devices; raw records are signs of their sensor too.
 *
 * No sign is later than now, and signs beyond the horizon do not count. After a sensor has sent early
 * records, only its contacts count until the clock has passed the times of these records.
 */
export async function readSigns(
  { devices, records, earlyRecords }: Pick<Storage, 'devices' | 'records' | 'earlyRecords'>,
  { sensors }: Catalogue,
  { now, horizon }: SignTimes,
): Promise<Map<string, DeviceSigns>> {
  const signs = new Map<string, DeviceSigns>()
  const add = (device: string, more: Partial<DeviceSigns>): void => {
    const known = signs.get(device) ?? { goodAt: null, errorAt: null, error: null }
    signs.set(device, { ...known, ...more })
  }
  for (const { device, time } of await devices.listContacts())
    if (time <= horizon) add(device, { goodAt: Math.min(time, now) })
  for (const { device, time, error } of await devices.listErrors())
    if (time <= horizon) add(device, { errorAt: Math.min(time, now), error })

  const throughs = new Map<string, number>()
  for (const { kind, source, through } of await earlyRecords.listSources())
    if (kind === 'raw') throughs.set(source, through)
  const all = Array.from(sensors.values())
  for (let at = 0; at < all.length; at += SENSORS_AT_ONCE) {
    const some = all.slice(at, at + SENSORS_AT_ONCE)
    const newest = await records.findNewest(
      'raw',
      some.map(({ key }) => key),
      horizon,
    )
    for (const [index, { entry }] of some.entries()) {
      const time = newest[index]
      const goodAt = signs.get(entry.id)?.goodAt ?? -Infinity
      if (typeof time !== 'number' || time <= (throughs.get(entry.id) ?? -Infinity)) continue
      if (time > goodAt) add(entry.id, { goodAt: Math.min(time, now) })
    }
    await setImmediate()
  }
  return signs
}
