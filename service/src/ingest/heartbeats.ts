import type { IngestReport } from '@plumbline/contract'
import type { Catalogue } from '../domain/catalogue.ts'
import type { Door } from './door.ts'
import { readTime } from './read-time.ts'
import { show, sift, type Rejection } from './report.ts'

/** Notes that devices are alive; an older contact than the known one changes nothing. */
export async function ingestHeartbeats(
  door: Door,
  devices: readonly unknown[],
): Promise<IngestReport> {
  const catalogue = await door.catalogue()
  const now = door.now()
  const { rows, rejected } = sift(devices, (device) => readContact(device, catalogue, now))
  await door.storage.devices.writeContacts(rows)
  return { accepted: rows.length, replaced: 0, rejected }
}

function readContact(
  heartbeat: unknown,
  catalogue: Catalogue,
  now: number,
): { device: string; time: number } | Rejection {
  if (typeof heartbeat !== 'object' || heartbeat === null)
    return { rejection: 'a heartbeat must be {device, time}' }
  const { device: id, time } = heartbeat as Record<string, unknown>

  const device = typeof id === 'string' ? catalogue.devices.get(id.toLowerCase()) : undefined
  const zone = device && catalogue.structures.get(device.structure)?.zone
  if (device === undefined || zone === undefined)
    return { rejection: `device ${show(id)} is not known` }

  const instant = readTime(time, zone, now)
  return typeof instant === 'number' ? { device: device.id, time: instant } : instant
}
