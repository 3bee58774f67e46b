import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import {
  explainStation,
  recompute as recomputeOperation,
  type ExplainedValue,
  type RecomputedStation,
} from '@plumbline/contract'
import type { Catalogue, CatalogueStation } from '../../domain/site/catalogue.ts'
import { findConversion } from '../../domain/derivation/conversion.ts'
import { explainItem, type ExplainedItem } from '../../domain/derivation/explanation.ts'
import { RefusedError } from '../../errors/refused-error.ts'
import type { Zone } from '../../domain/time/local-time.ts'
import type { StationDerivation } from '../../derivation/station-derivation.ts'
import type { RecordIngest } from '../../ingest/record-ingest.ts'
import { beginRecomputing, recompute, type StationDifference } from '../../derivation/recompute.ts'
import { findOwnInstants, readRaw, readTexts } from '../../derivation/span-difference.ts'
import type { Storage } from '../../storage/storage.ts'
import { memberOf } from '../requests/member-of.ts'
import { goneSignal } from '../responses/client-gone.ts'
import { checkMoment, checkWindow, toInstants } from '../requests/window.ts'

type DerivationRoutesOptions = {
  derivation: StationDerivation
  ingest: Pick<RecordIngest, 'clock'>
  storage: Pick<Storage, 'records' | 'changes'>
}

export const derivationRoutes: FastifyPluginAsyncTypebox<DerivationRoutesOptions> = async (
  app,
  { derivation, ingest: { clock }, storage },
) => {
  app.route({
    ...explainStation,
    handler: async ({ caller, params, query: { time } }) => {
      checkMoment('time', time)
      const station = caller.findStation(params.stationId)
      caller.permit(station.entry.structure, `station ${station.entry.id}`)
      const span = toInstants({ startTime: time, endTime: time }, station.structure.zone)
      const raw = await readRaw(storage.records, caller.catalogue, station, span)
      const stored = await readTexts(storage.records, 'theme', station.entry.id, span)
      const instants = new Set([...stored.keys(), ...findOwnInstants(station, raw, span)])
      if (instants.size === 0)
        throw new RefusedError('absent', `Station ${station.entry.id} has no record at that time.`)
      return {
        station: { id: station.entry.id, name: station.entry.name },
        siteVersion: caller.catalogue.version,
        records: [...instants]
          .toSorted((a, b) => a - b)
          .map((instant) => ({
            time: formatInstant(instant, station.structure.zone),
            items: station.factor.items.map(({ key, name, unit, precision }, place) => ({
              key,
              name,
              unit,
              precision,
              ...describe(explainItem(station, raw, instant, place), station, caller.catalogue),
              stored: storedValue(stored.get(instant), key),
            })),
          })),
      }
    },
  })

  app.route({
    ...recomputeOperation,
    handler: async ({ caller, params: { structureId }, body }, { raw }) => {
      const { startTime, endTime, commit = false } = body
      checkWindow({ startTime, endTime })
      const { entry, zone } = caller.findStructure(structureId)
      caller.permit(structureId)
      const window = { startTime, endTime }
      const { now } = clock.arrive()
      const { catalogue } = caller
      const options = { catalogue, structure: structureId, span: toInstants(window, zone), now }
      if (!commit) {
        const stations = await recompute(derivation, { ...options, signal: goneSignal(raw) })
        return { change: null, stations: summarise(stations) }
      }
      const change = await beginRecomputing(storage.changes, entry.id, window, now)
      const differences = await recompute(derivation, { ...options, change })
      await storage.changes.finish(change, clock.now())
      return { change, stations: summarise(differences) }
    },
  })
}

const summarise = (differences: readonly StationDifference[]): RecomputedStation[] =>
  differences.map(({ station, items, ...counts }) => ({
    id: station.entry.id,
    name: station.entry.name,
    ...counts,
    items: Array.from(items, ([key, counted]) => ({ key, ...counted })),
  }))

function describe(
  item: ExplainedItem | undefined,
  { structure: { zone } }: CatalogueStation,
  { sensors }: Catalogue,
): Pick<ExplainedValue, 'origin' | 'conversion' | 'group'> {
  if (item === undefined) return { origin: 'ready' }
  const { conversion, ...rest } = item
  if (conversion === undefined) return { origin: 'raw', ...rest }
  const inputs = conversion.inputs.map(({ time, ...input }) => ({
    ...input,
    sensorName: sensors.get(input.sensor)?.entry.name ?? '',
    ...(time === undefined ? {} : { time: formatInstant(time, zone) }),
  }))
  const formula = findConversion(conversion.kind)?.summary ?? ''
  return { origin: 'raw', ...rest, conversion: { ...conversion, formula, inputs } }
}

function storedValue(text: string | undefined, key: string): number | null {
  if (text === undefined) return null
  const record: unknown = JSON.parse(text)
  const value = memberOf(record, key)
  return typeof value === 'number' ? value : null
}

/** Local time with milliseconds and UTC offset: `2026-01-01T08:00:00.250+08:00`. */
function formatInstant(instant: number, zone: Zone): string {
  const { offset } = zone.spanAt(instant)
  const local = new Date(instant + offset).toISOString().slice(0, -1)
  const minutes = Math.abs(offset) / 60_000
  const clock = [Math.floor(minutes / 60), Math.floor(minutes % 60)]
    .map((part) => String(part).padStart(2, '0'))
    .join(':')
  return `${local}${offset < 0 ? '-' : '+'}${clock}`
}
