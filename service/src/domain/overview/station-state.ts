import type { StationState } from '@plumbline/contract'
import type { CatalogueStation } from '../site/catalogue.ts'
import type { DeviceEntry } from '../site/site-entry.ts'

/** What is known of the records of a station. */
type Timeliness = Readonly<{
  /** The instant of its newest record; null without one. */
  newest: number | null
  /** The greatest age of a newest record that is as new as expected, in milliseconds. */
  expected: number
  /** Whether a device that it depends on is silent. */
  isOffline: boolean
  now: number
}>

/** A station without a record is empty, even if its device is silent: it has nothing that could be old. */
export function stationState({ newest, expected, isOffline, now }: Timeliness): StationState {
  if (newest === null) return 'empty'
  if (isOffline) return 'offline'
  return now - newest > expected ? 'stale' : 'fine'
}

type Devices = ReadonlyMap<string, DeviceEntry>

/** The longest reporting interval that the sensors of a station declare, in milliseconds. */
export function declaredInterval(
  { entry }: CatalogueStation,
  devices: Devices,
): number | undefined {
  const declared = (entry.from?.sensors ?? []).flatMap(
    (id) => devices.get(id)?.intervalSeconds ?? [],
  )
  return declared.length === 0 ? undefined : Math.max(...declared) * 1000
}

/** The sensors of a station and all devices through which they report, each once. */
export function devicesOf({ entry }: CatalogueStation, devices: Devices): Set<string> {
  const found = new Set<string>()
  for (const sensor of entry.from?.sensors ?? []) {
    let id: string | null = sensor
    while (id !== null && !found.has(id)) {
      found.add(id)
      id = devices.get(id)?.parent ?? null
    }
  }
  return found
}
