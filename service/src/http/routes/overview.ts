import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import {
  getOverview,
  getStructureState,
  type StationOverview,
  type StructureOverview,
} from '@plumbline/contract'
import { alarmSettings } from '../../alarms/station-evaluators.ts'
import type { CatalogueStructure } from '../../domain/site/catalogue.ts'
import { readNewestValues } from '../../overview/newest-values.ts'
import type { StatesAtOnce, StationStates, StationStatus } from '../../overview/station-states.ts'
import type { Storage } from '../../storage/storage.ts'
import { portraitPath } from '../responses/portrait-path.ts'
import { valueQuality } from '../responses/value-quality.ts'

type OverviewRoutesOptions = {
  states: StationStates
  storage: Pick<Storage, 'records' | 'portraits'>
}

/** Stations whose newest values are read at once. */
const READ_AT_ONCE = 50

export const overviewRoutes: FastifyPluginAsyncTypebox<OverviewRoutesOptions> = async (
  app,
  { states, storage },
) => {
  app.route({
    ...getOverview,
    handler: async ({ caller }) => {
      const { catalogue } = caller
      const structures = [...catalogue.structures.values()].filter(({ entry }) =>
        caller.maySee(entry.id),
      )
      const seen = new Set(structures.map(({ entry }) => entry.id))
      const stations = [...catalogue.stations.values()].filter(({ entry }) =>
        seen.has(entry.structure),
      )
      const found = await states.read(catalogue, stations)
      const byStructure = Map.groupBy(found.stations, ({ station }) => station.entry.structure)
      return {
        time: found.now,
        structures: structures.map((one) =>
          toOverview(one, byStructure.get(one.entry.id) ?? [], found),
        ),
      }
    },
  })

  app.route({
    ...getStructureState,
    handler: async ({ caller, params: { structureId } }) => {
      const structure = caller.findStructure(structureId)
      caller.permit(structureId)
      const { entry } = structure
      const { catalogue } = caller
      const factors = entry.factors
        .flatMap((id) => catalogue.factors.get(id) ?? [])
        .map((factor) => ({ factor, groups: catalogue.listGroups(structureId, factor.id) }))
      const stations = factors.flatMap(({ groups }) => groups.flatMap((group) => group.stations))
      const [found, picture, positions] = await Promise.all([
        states.read(catalogue, stations),
        storage.portraits.find(structureId),
        storage.portraits.listPositions(structureId),
      ])
      const shown = await describeStations(storage.records, found)
      for (const { station, x, y } of positions) {
        const one = shown.get(station)
        if (one !== undefined) one.position = { x, y }
      }
      return {
        time: found.now,
        id: entry.id,
        name: entry.name,
        timeZone: entry.timeZone,
        portrait: picture === undefined ? null : portraitPath(structureId, picture),
        worstLevel: worstLevelOf(structure, found),
        factors: factors.map(({ factor, groups }) => ({
          id: factor.id,
          name: factor.name,
          items: factor.items.map(({ key, name, unit, precision }) => ({
            key,
            name,
            unit,
            precision,
          })),
          groups: groups.map(({ id, name, typeId, stations: members }) => ({
            id,
            name,
            typeId,
            stations: members.flatMap((station) => shown.get(station.entry.id) ?? []),
          })),
        })),
      }
    },
  })
}

function worstLevelOf(structure: CatalogueStructure, { levels }: StatesAtOnce): number | null {
  const { severity } = alarmSettings(structure)
  return levels.count(structure.entry.id, severity)[0]?.level ?? null
}

function toOverview(
  structure: CatalogueStructure,
  stations: readonly StationStatus[],
  found: StatesAtOnce,
): StructureOverview {
  const { entry, typeName } = structure
  const counts = { fine: 0, stale: 0, offline: 0, empty: 0 }
  let newestTime: number | null = null
  for (const { state, newest } of stations) {
    counts[state]++
    if (newest !== null) newestTime = Math.max(newestTime ?? newest, newest)
  }
  return {
    id: entry.id,
    name: entry.name,
    type: { id: entry.type, name: typeName },
    longitude: entry.longitude,
    latitude: entry.latitude,
    timeZone: entry.timeZone,
    stations: counts,
    openAlarms: found.levels.count(entry.id, alarmSettings(structure).severity),
    worstLevel: worstLevelOf(structure, found),
    newestTime,
  }
}

async function describeStations(
  records: Storage['records'],
  { now, stations }: StatesAtOnce,
): Promise<Map<number, StationOverview>> {
  const shown = new Map<number, StationOverview>()
  for (let from = 0; from < stations.length; from += READ_AT_ONCE)
    await Promise.all(
      stations.slice(from, from + READ_AT_ONCE).map(async (status) => {
        const station = await describeStation(records, status, now)
        shown.set(station.id, station)
      }),
    )
  return shown
}

async function describeStation(
  records: Storage['records'],
  status: StationStatus,
  now: number,
): Promise<StationOverview> {
  const { station, state, newest, expected, worstLevel } = status
  const { values = [], marks = [] } = (await readNewestValues(records, status)) ?? {}
  const shown = Array.from(station.itemIndex).flatMap(([key, at]) => {
    const [value, mark] = [values[at], marks[at]]
    if (value === undefined && mark === undefined) return []
    const served = value === undefined || mark?.quality === 'bad' ? null : value
    const quality = mark && { quality: valueQuality(mark, value) }
    return [[key, { value: served, ...quality }] as const]
  })
  return {
    id: station.entry.id,
    name: station.entry.name,
    state,
    time: newest,
    ageSeconds: newest === null ? null : Math.max(0, Math.floor((now - newest) / 1000)),
    expectedSeconds: Math.ceil(expected / 1000),
    values: Object.fromEntries(shown),
    worstLevel,
    position: null,
  }
}
