import { hash } from 'node:crypto'
import type { IngestReport, TrafficRecord } from '@plumbline/contract'
import { boundedText } from '../../encodings/bounded-text.ts'
import { show } from '../../errors/show.ts'
import type { TrafficRow } from '../../storage/storage.ts'
import type { IngestParts } from '../ingest-parts.ts'
import { rejectForeign, type BatchContext } from './foreign-target.ts'
import { readTime } from './read-time.ts'
import { sift, type Rejection } from './report.ts'
import { isObject } from '../../json/is-object.ts'

type TrafficParts = Pick<IngestParts, 'catalogue' | 'clock' | 'early' | 'targets'> & {
  storage: Pick<IngestParts['storage'], 'traffic'>
}

/** Stores weighed vehicles; an exact repeat is stored once, a stored `id` is replaced. */
export async function ingestTraffic(
  { catalogue: currentCatalogue, clock, storage: { traffic }, early, targets }: TrafficParts,
  records: readonly unknown[],
): Promise<IngestReport> {
  const catalogue = await currentCatalogue()
  const arrival = clock.arrive()
  const { rows, rejected } = await sift(records, (record) =>
    readVehicle(record, { catalogue, arrival, targets }),
  )
  const { replaced } = await traffic.write(rows)
  await early?.note('traffic', rows, ({ structure }) => structure, arrival.now)
  return { accepted: rows.length, replaced, rejected }
}

function readVehicle(record: unknown, context: BatchContext): TrafficRow | Rejection {
  const { catalogue, arrival } = context
  if (!isObject(record))
    return { rejection: 'a record must be {structure, time, lane, direction, axleCount, load, …}' }
  const { structure: structureId, time, id, ...vehicle } = withoutNulls(record)

  // A column out of place may hold a number plate: the sentence repeats numbers only.
  if (typeof structureId !== 'number') return { rejection: 'structure must be a structure id' }
  const structure = catalogue.structures.get(structureId)
  if (structure === undefined) return { rejection: `structure ${show(structureId)} is not known` }

  const foreign = rejectForeign(
    context,
    { structure: structureId },
    `the traffic of structure ${structureId}`,
  )
  if (foreign !== undefined) return foreign

  const { zone } = structure
  const instant = readTime(time, { kind: 'traffic', source: structureId, zone }, arrival)
  if (typeof instant !== 'number') return instant
  if (id !== undefined && typeof id !== 'string' && !Number.isSafeInteger(id))
    return { rejection: 'id must be text or a whole number' }

  const { license = '', axleLoad = '', overload = false, ...rest } = vehicle
  const { lane, direction, axleCount, load, ...details } = rest
  const fields = { license, axleLoad, overload, direction, axleCount, load }
  const read = { ...fields, lane: typeof lane === 'number' ? String(lane) : lane }
  if (!isTraffic(read)) return { rejection: describeWrongField(read) }

  const served: TrafficRecord = {
    license: read.license,
    time: structure.zone.toLocal(instant),
    lane: read.lane,
    direction: read.direction,
    axleCount: read.axleCount,
    load: read.load,
    axleLoad: read.axleLoad,
    overload: read.overload,
  }
  const text = JSON.stringify(served)
  const beyond = JSON.stringify(details)
  return {
    structure: structure.entry.id,
    time: instant,
    identity:
      id === undefined
        ? hash('sha256', text + beyond, 'base64url')
        : `id ${boundedText(String(id))}`,
    overload: served.overload,
    license: served.license,
    load: served.load,
    record: text,
    details: beyond,
  }
}

/** Some senders write `null` for a member without a value. */
const withoutNulls = (record: object): Record<string, unknown> =>
  Object.fromEntries(Object.entries(record).filter(([, value]) => value !== null))

type TrafficFields = Omit<TrafficRecord, 'time'>

/** What each field must be; sentences never repeat number plates. */
const FIELDS: Record<keyof TrafficFields, { expected: string; accepts(value: unknown): boolean }> =
  {
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

const findWrongField = (fields: Record<string, unknown>) =>
  Object.entries(FIELDS).find(([name, { accepts }]) => !accepts(fields[name]))

const isTraffic = (fields: Record<string, unknown>): fields is TrafficFields =>
  findWrongField(fields) === undefined

function describeWrongField(fields: Record<string, unknown>): string {
  const [name, field] = findWrongField(fields) ?? []
  return `${name} must be ${field?.expected}`
}
