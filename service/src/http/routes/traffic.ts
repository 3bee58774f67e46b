import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import {
  countTraffic,
  getTrafficFlow,
  type TrafficCounts,
  type TrafficFlow,
} from '@plumbline/contract'
import { formatClock, formatDay } from '../../domain/time/wall-clock.ts'
import type { Zone } from '../../domain/time/local-time.ts'
import { RefusedError } from '../../errors/refused-error.ts'
import type { TrafficSettings } from '../../domain/site/site-entry.ts'
import type { Storage, TrafficCount, TrafficSpan } from '../../storage/storage.ts'
import { checkManageWindow, toManageInstants } from '../requests/manage-window.ts'
import { classesOf, readBounds } from '../requests/weight-classes.ts'
import { sendJson } from '../responses/send-json.ts'
import { checkWindow, toInstants } from '../requests/window.ts'

type TrafficRoutesOptions = { storage: Pick<Storage, 'traffic'> }

/** Names of fields without a name in the site file. */
const FIELD_NAMES = {
  license: 'License plate',
  time: 'Time',
  lane: 'Lane',
  direction: 'Direction',
  axleCount: 'Axle count',
  load: 'Weight',
  axleLoad: 'Axle weight',
  overload: 'Overload',
} as const

const DEFAULT_SETTINGS: TrafficSettings = { loadUnit: 't', axleLoadUnit: 't', names: {} }

export const trafficRoutes: FastifyPluginAsyncTypebox<TrafficRoutesOptions> = async (
  app,
  { storage },
) => {
  app.route({
    ...getTrafficFlow,
    handler: async ({ caller, params, query }, reply) => {
      checkWindow(query)
      const { entry, zone } = caller.findStructure(params.structureId)
      caller.permit(entry.id)
      const { overload, loadFloor, license } = query
      const records = storage.traffic.read({
        structure: entry.id,
        ...toInstants(query, zone),
        overload,
        loadFloor,
        license: license === '' ? undefined : license,
      })
      return sendJson(reply, writeTrafficFlow(describeItems(entry.traffic), records))
    },
  })
}

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS
const LONGEST_DAYS = 366
/** As many local days are longer where clocks go back more often than forward. */
const LONGER_BY_CLOCKS_MS = 2 * HOUR_MS

export const trafficManageRoutes: FastifyPluginAsyncTypebox<TrafficRoutesOptions> = async (
  app,
  { storage },
) => {
  app.route({
    ...countTraffic,
    handler: async ({ caller, params, query }): Promise<TrafficCounts> => {
      checkManageWindow(query)
      const { entry, zone } = caller.findStructure(params.structureId)
      caller.permit(entry.id)
      const { from, to } = toManageInstants(query, zone)
      if (to - from > LONGEST_DAYS * DAY_MS + LONGER_BY_CLOCKS_MS)
        throw new RefusedError('invalid', `the window is longer than ${LONGEST_DAYS} days`)
      const { loadUnit } = entry.traffic ?? DEFAULT_SETTINGS
      const bounds = readBounds(query.classes, loadUnit)
      const span = { structure: entry.id, from, to }
      const counts = await countAll(storage.traffic, span, zone, bounds)
      return {
        loadUnit,
        classes: classesOf(bounds),
        total: sum(counts.map(({ count }) => count)),
        overloads: sum(counts.map(({ overloads }) => overloads)),
        counts: counts.map(({ hour, lane, weightClass, count, overloads }) => ({
          hour: formatHour(hour),
          lane,
          class: weightClass,
          count,
          overloads,
        })),
      }
    },
  })
}

/** The counts of a window, a day at most at a time: other requests run in between. */
async function countAll(
  traffic: Storage['traffic'],
  { structure, from, to }: TrafficSpan,
  zone: Zone,
  bounds: readonly number[],
): Promise<TrafficCount[]> {
  const counts = new Map<string, TrafficCount>()
  for (let start = from; start <= to;) {
    const { offset, end } = zone.spanAt(start)
    const next = Math.min(to + 1, end, start + DAY_MS)
    for (const one of await traffic.countBy({
      structure,
      from: start,
      to: next - 1,
      offset,
      bounds,
    })) {
      const key = `${one.hour} ${one.weightClass} ${one.lane}`
      const known = counts.get(key)
      if (known === undefined) counts.set(key, one)
      else {
        known.count += one.count
        known.overloads += one.overloads
      }
    }
    start = next
  }
  return [...counts.values()].toSorted(
    (one, other) =>
      one.hour - other.hour ||
      (one.lane < other.lane
        ? -1
        : one.lane > other.lane
          ? 1
          : one.weightClass - other.weightClass),
  )
}

const formatHour = (hour: number): string =>
  `${formatDay(Math.floor(hour / 24))} ${formatClock((hour % 24) * 3600)}`

const sum = (numbers: readonly number[]): number => numbers.reduce((all, one) => all + one, 0)

function describeItems(settings: TrafficSettings | null): TrafficFlow['items'] {
  const { loadUnit, axleLoadUnit, names } = settings ?? DEFAULT_SETTINGS
  const named = (field: keyof typeof FIELD_NAMES) => ({
    name: (Object.hasOwn(names, field) ? names[field] : undefined) ?? FIELD_NAMES[field],
  })
  return {
    license: named('license'),
    time: named('time'),
    lane: named('lane'),
    direction: named('direction'),
    axleCount: named('axleCount'),
    load: { ...named('load'), unit: loadUnit },
    axleLoad: { ...named('axleLoad'), unit: axleLoadUnit },
    overload: named('overload'),
  }
}

async function* writeTrafficFlow(
  items: TrafficFlow['items'],
  records: AsyncIterable<Uint8Array>,
): AsyncGenerator<string | Uint8Array> {
  yield `{"items":${JSON.stringify(items)},"data":[`
  let isFirst = true
  for await (const chunk of records) {
    if (!isFirst) yield ','
    isFirst = false
    yield chunk
  }
  yield ']}'
}
