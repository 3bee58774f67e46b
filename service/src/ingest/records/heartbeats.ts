import type { IngestReport } from '@plumbline/contract'
import { show } from '../../errors/show.ts'
import { isObject } from '../../json/is-object.ts'
import type { IngestParts } from '../ingest-parts.ts'
import { rejectForeign, type BatchContext } from './foreign-target.ts'
import { readTime } from './read-time.ts'
import { sift, type Rejection } from './report.ts'

const ERROR_LENGTH = 500

type HeartbeatParts = Pick<IngestParts, 'catalogue' | 'clock' | 'early' | 'targets'> & {
  storage: Pick<IngestParts['storage'], 'devices'>
}

/**
 * Stores the contacts of devices, and the errors that they report; a report that is older than the
 * stored one changes nothing.
 */
export async function ingestHeartbeats(
  {
    catalogue: currentCatalogue,
    clock,
    storage: { devices: store },
    early,
    targets,
  }: HeartbeatParts,
  devices: readonly unknown[],
): Promise<IngestReport> {
  const catalogue = await currentCatalogue()
  const arrival = clock.arrive()
  const { now } = arrival
  const { rows, rejected } = await sift(devices, (device) =>
    readContact(device, { catalogue, arrival, targets }),
  )
  const signs = beforeArrival(rows, now)
  await store.writeContacts(newestOf(signs.filter(({ error }) => error === undefined)), now)
  await store.writeErrors(
    newestOf(
      signs.flatMap(({ error, ...sign }) => (error === undefined ? [] : [{ ...sign, error }])),
    ),
    now,
  )
  await early?.note('heartbeat', rows, ({ device }) => device, now)
  return { accepted: rows.length, replaced: 0, rejected }
}

type Contact = { device: string; time: number; error?: string }

/** Moves the heartbeats of a clock that is ahead back, so that none is later than its arrival. */
function beforeArrival(contacts: readonly Contact[], now: number): Contact[] {
  const leads = new Map<string, number>()
  for (const { device, time } of contacts)
    leads.set(device, Math.max(leads.get(device) ?? 0, time - now))
  return contacts.map((one) => ({ ...one, time: one.time - (leads.get(one.device) ?? 0) }))
}

/** The newest heartbeat of each device; of two at one time the first. */
function newestOf<Row extends { device: string; time: number }>(rows: readonly Row[]): Row[] {
  const newest = new Map<string, Row>()
  for (const row of rows)
    if (row.time > (newest.get(row.device)?.time ?? -Infinity)) newest.set(row.device, row)
  return [...newest.values()]
}

function readContact(heartbeat: unknown, context: BatchContext): Contact | Rejection {
  const { catalogue, arrival } = context
  if (!isObject(heartbeat)) return { rejection: 'a heartbeat must be {device, time}' }
  const { device: id, time, error } = heartbeat

  const device = typeof id === 'string' ? catalogue.devices.get(id.toLowerCase()) : undefined
  const zone = device && catalogue.structures.get(device.structure)?.zone
  if (device === undefined || zone === undefined)
    return { rejection: `device ${show(id)} is not known` }

  const target = { structure: device.structure, device: device.id }
  const foreign = rejectForeign(context, target, `device ${device.id}`)
  if (foreign !== undefined) return foreign

  if (error !== undefined && error !== null && !isShortText(error))
    return { rejection: `error must be text of at most ${ERROR_LENGTH} characters` }

  const instant = readTime(time, { kind: 'heartbeat', source: device.id, zone }, arrival)
  if (typeof instant !== 'number') return instant
  return { device: device.id, time: instant, ...(isShortText(error) ? { error } : {}) }
}

const isShortText = (value: unknown): value is string =>
  typeof value === 'string' && value.length <= ERROR_LENGTH
