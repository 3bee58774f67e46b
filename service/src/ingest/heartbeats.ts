import type { IngestReport } from '@plumbline/contract'
import type { Catalogue } from '../domain/catalogue.ts'
import type { Door } from './door.ts'
import { readTime } from './read-time.ts'
import { show, sift, type Rejection } from './report.ts'

const ERROR_LENGTH = 500

/**
 * Notes that devices are alive, and what they report to be wrong with them; what is older than the
 * known changes nothing.
 */
export async function ingestHeartbeats(
  door: Door,
  devices: readonly unknown[],
): Promise<IngestReport> {
  const catalogue = await door.catalogue()
  const now = door.now()
  const { rows, rejected } = await sift(devices, (device) => readContact(device, catalogue, now))
  const { devices: store } = door.storage
  await store.writeContacts(newestOf(rows.filter(({ error }) => error === undefined)))
  await store.writeErrors(
    newestOf(rows.flatMap(({ error, ...row }) => (error === undefined ? [] : [{ ...row, error }]))),
  )
  return { accepted: rows.length, replaced: 0, rejected }
}

/** Of each device the newest alone would stay, and of one time the first. */
function newestOf<Row extends { device: string; time: number }>(rows: readonly Row[]): Row[] {
  const newest = new Map<string, Row>()
  for (const row of rows)
    if (row.time > (newest.get(row.device)?.time ?? -Infinity)) newest.set(row.device, row)
  return [...newest.values()]
}

function readContact(
  heartbeat: unknown,
  catalogue: Catalogue,
  now: number,
): { device: string; time: number; error?: string } | Rejection {
  if (typeof heartbeat !== 'object' || heartbeat === null)
    return { rejection: 'a heartbeat must be {device, time}' }
  const { device: id, time, error } = heartbeat as Record<string, unknown>

  const device = typeof id === 'string' ? catalogue.devices.get(id.toLowerCase()) : undefined
  const zone = device && catalogue.structures.get(device.structure)?.zone
  if (device === undefined || zone === undefined)
    return { rejection: `device ${show(id)} is not known` }

  if (error !== undefined && error !== null && !isShortText(error))
    return { rejection: `error must be text of at most ${ERROR_LENGTH} characters` }

  const instant = readTime(time, zone, now)
  if (typeof instant !== 'number') return instant
  return { device: device.id, time: instant, ...(isShortText(error) ? { error } : {}) }
}

const isShortText = (value: unknown): value is string =>
  typeof value === 'string' && value.length <= ERROR_LENGTH
