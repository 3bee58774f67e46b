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
import { qualifiedValues, type QualifiedValues } from '../../domain/quality/qualified-values.ts'
import { formatOffsetTime } from '../../domain/time/offset-text.ts'
import type { Zone } from '../../domain/time/local-time.ts'
import type { StationDerivation } from '../../derivation/station-derivation.ts'
import type { RecordIngest } from '../../ingest/record-ingest.ts'
import { beginRecomputing, recompute, type StationDifference } from '../../derivation/recompute.ts'
import { findExplainedInstants, readMarked } from '../../derivation/read-marked.ts'
import { readPlaces } from '../../storage/read-places.ts'
import type { RecordStore, Storage } from '../../storage/storage.ts'
import type { Span } from '../../derivation/span.ts'
import { valueQuality } from '../responses/value-quality.ts'
import { goneSignal } from '../responses/client-gone.ts'
import {
  checkManageMoment,
  checkManageWindow,
  toManageInstants,
} from '../requests/manage-window.ts'

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
      checkManageMoment('time', time)
      const station = caller.findStation(params.stationId)
      caller.permit(station.entry.structure, `station ${station.entry.id}`)
      const span = toManageInstants({ startTime: time, endTime: time }, station.structure.zone)
      const records = await readMarked(storage.records, caller.catalogue, station, span)
      const stored = await readStored(storage.records, station, span)
      const explained = findExplainedInstants(station, records, span)
      const instants = new Set([...stored.keys(), ...explained])
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
              ...describe(explainItem(station, records, instant, place), station, caller.catalogue),
              ...storedValue(stored.get(instant), place),
            })),
          })),
      }
    },
  })

  app.route({
    ...recomputeOperation,
    handler: async ({ caller, params: { structureId }, body }, { raw }) => {
      const { startTime, endTime, commit = false } = body
      checkManageWindow({ startTime, endTime })
      const { entry, zone } = caller.findStructure(structureId)
      caller.permit(structureId)
      const window = { startTime, endTime }
      const { now } = clock.arrive()
      const { catalogue } = caller
      const options = {
        catalogue,
        structure: structureId,
        span: toManageInstants(window, zone),
        now,
      }
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
  const inputs = conversion.inputs.map(({ time, quality, ...input }) => ({
    ...input,
    sensorName: sensors.get(input.sensor)?.entry.name ?? '',
    ...(time === undefined ? {} : { time: formatInstant(time, zone) }),
    ...(quality === undefined ? {} : { quality: valueQuality(quality, quality.value) }),
  }))
  const formula = findConversion(conversion.kind)?.summary ?? ''
  return { origin: 'raw', ...rest, conversion: { ...conversion, formula, inputs } }
}

/** What is stored of a station, by instant. */
async function readStored(
  data: Pick<RecordStore, 'readLists' | 'readMarks'>,
  station: CatalogueStation,
  span: Span,
): Promise<Map<number, QualifiedValues>> {
  const stored = new Map<number, QualifiedValues>()
  const source = station.entry.id
  for await (const places of readPlaces(data, { kind: 'theme', source, ...span }))
    for (const place of places) stored.set(place.time, qualifiedValues(place, station))
  return stored
}

/** The stored value of an item and its quality; a bad value is no value. */
function storedValue(
  stored: QualifiedValues | undefined,
  place: number,
): Pick<ExplainedValue, 'stored' | 'quality'> {
  const [value, mark] = [stored?.values[place], stored?.marks?.[place]]
  if (mark === undefined) return { stored: value ?? null }
  const quality = valueQuality(mark, value)
  return { stored: mark.quality === 'bad' ? null : (value ?? null), quality }
}

const formatInstant = (instant: number, zone: Zone): string =>
  formatOffsetTime(instant, zone.spanAt(instant).offset)
