import { hash } from 'node:crypto'
import type { IngestReport, TrafficRecord } from '@plumbline/contract'
import type { Catalogue } from '../../domain/site/catalogue.ts'
import { show } from '../../errors/show.ts'
import type { TrafficRow } from '../../storage/storage.ts'
import type { IngestParts } from '../ingest-parts.ts'
import { readTime, type Arrival } from './read-time.ts'
import { sift, type Rejection } from './report.ts'

type TrafficParts = Pick<IngestParts, 'catalogue' | 'clock' | 'early'> & {
  storage: Pick<IngestParts['storage'], 'traffic'>
}

/** Stores weighed vehicles; an exact repeat is stored once, a known `id` replaces. */
export async function ingestTraffic(
  { catalogue: currentCatalogue, clock, storage: { traffic }, early }: TrafficParts,
  records: readonly unknown[],
): Promise<IngestReport> {
  const catalogue = await currentCatalogue()
  const arrival = clock.arrive()
  const { rows, rejected } = await sift(records, (record) =>
    readVehicle(record, catalogue, arrival),
  )
  const { replaced } = await traffic.write(rows)
  await early?.note('traffic', rows, ({ structure }) => structure, arrival.now)
  return { accepted: rows.length, replaced, rejected }
}

function readVehicle(
  record: unknown,
  catalogue: Catalogue,
  arrival: Arrival,
): TrafficRow | Rejection {
  if (typeof record !== 'object' || record === null)
    return { rejection: 'a record must be {structure, time, lane, direction, axleCount, load, …}' }
  const { structure: structureId, time, id, ...vehicle } = withoutNulls(record)

  // A column out of place may hold the plate: only a number is repeated.
  if (typeof structureId !== 'number') return { rejection: 'structure must be a structure id' }
  const structure = catalogue.structures.get(structureId)
  if (structure === undefined) return { rejection: `structure ${show(structureId)} is not known` }

  const { zone } = structure
  const instant = readTime(time, { kind: 'traffic', source: structureId, zone }, arrival)
  if (typeof instant !== 'number') return instant
  if (id !== undefined && typeof id !== 'string' && !Number.isSafeInteger(id))
    return { rejection: 'id must be text or a whole number' }

  const { license = '', axleLoad = '', overload = false, ...rest } = vehicle
  const { lane, direction, axleCount, load, ...details } = rest
  const fields = { license, axleLoad, overload, direction, axleCount, load }
  const laneName = typeof lane === 'number' ? String(lane) : lane
  const rejection = refuseFields({ ...fields, lane: laneName })
  if (rejection !== undefined) return { rejection }

  const served = {
    license,
    time: structure.zone.toLocal(instant),
    lane: laneName,
    direction,
    axleCount,
    load,
    axleLoad,
    overload,
  } as TrafficRecord
  const text = JSON.stringify(served)
  const beyond = JSON.stringify(details)
  return {
    structure: structure.entry.id,
    time: instant,
    identity: id === undefined ? hash('sha256', text + beyond, 'base64url') : `id ${id}`,
    overload: served.overload,
    license: served.license,
    load: served.load,
    record: text,
    details: beyond,
  }
}

/** `null` is how some senders write "left out". */
const withoutNulls = (record: object): Record<string, unknown> =>
  Object.fromEntries(Object.entries(record).filter(([, value]) => value !== null))

/** What each field must be; plates are never repeated in a sentence. */
const FIELDS: Record<string, { expected: string; accepts(value: unknown): boolean }> = {
  license: { expected: 'text of at most 64 characters', accepts: isShortText },
  lane: { expected: 'text of at most 64 characters', accepts: isShortText },
  axleLoad: { expected: 'text of at most 64 characters', accepts: isShortText },
  direction: {
    expected: '0 (toward the bridge) or 1 (away from it)',
    accepts: (value) => value === 0 || value === 1,
  },
  axleCount: {
    expected: 'a whole number from 0 to 1000',
    accepts: (value) => Number.isInteger(value) && Number(value) >= 0 && Number(value) <= 1000,
  },
  load: { expected: 'a finite number', accepts: Number.isFinite },
  overload: { expected: 'true or false', accepts: (value) => typeof value === 'boolean' },
}

function isShortText(value: unknown): boolean {
  return typeof value === 'string' && value.length <= 64
}

function refuseFields(fields: Record<string, unknown>): string | undefined {
  for (const [name, { expected, accepts }] of Object.entries(FIELDS))
    if (!accepts(fields[name])) return `${name} must be ${expected}`
  return undefined
}
