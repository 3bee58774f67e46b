import { setImmediate } from 'node:timers/promises'
import type { DeviceSigns } from '../domain/alarms/offline-watch.ts'
import type { Catalogue } from '../domain/catalogue.ts'
import type { Storage } from '../storage/storage.ts'

/** So many sensors are looked at before others have their turn. */
const SENSORS_AT_ONCE = 500

/** The last signs of life of devices; a sensor's raw records are signs of it too. */
export async function readSigns(
  { devices, data }: Pick<Storage, 'devices' | 'data'>,
  { sensors }: Catalogue,
): Promise<Map<string, DeviceSigns>> {
  const signs = new Map<string, DeviceSigns>()
  const add = (device: string, more: Partial<DeviceSigns>): void => {
    const known = signs.get(device) ?? { goodAt: null, errorAt: null, error: null }
    signs.set(device, { ...known, ...more })
  }
  for (const { device, time } of await devices.listContacts()) add(device, { goodAt: time })
  for (const { device, time, error } of await devices.listErrors())
    add(device, { errorAt: time, error })

  const all = Array.from(sensors.values())
  for (let at = 0; at < all.length; at += SENSORS_AT_ONCE) {
    const some = all.slice(at, at + SENSORS_AT_ONCE)
    const newest = await data.findNewest(
      'raw',
      some.map(({ key }) => key),
    )
    for (const [index, { entry }] of some.entries()) {
      const time = newest[index]
      const goodAt = signs.get(entry.id)?.goodAt ?? -Infinity
      if (typeof time === 'number' && time > goodAt) add(entry.id, { goodAt: time })
    }
    await setImmediate()
  }
  return signs
}
