import { STRUCTURE_ALARMS, type StructureAlarms } from '../domain/alarms/alarm-settings.ts'
import { compileStation, type StationJudge } from '../domain/alarms/station-evaluator.ts'
import type { Catalogue, CatalogueStation, CatalogueStructure } from '../domain/site/catalogue.ts'
import type { ThresholdBatchEntry } from '../domain/site/site-entry.ts'
import { memoryOf } from './rule-window.ts'

/** A judge, and how many milliseconds of records its rules look back; 0 where it has none. */
export type Bench = { judge: StationJudge; memory: number }

const benches = new WeakMap<Catalogue, Map<string | number, Bench>>()

/** What judges the records of a station by the site as it stands; compiled when first asked for. */
export function benchOf(catalogue: Catalogue, station: CatalogueStation): Bench {
  let known = benches.get(catalogue)
  if (known === undefined) benches.set(catalogue, (known = new Map()))
  const bench = known.get(station.entry.id)
  if (bench !== undefined) return bench

  const batches = batchesOf(catalogue, station)
  // Stations with the same batches share a judge, for it remembers nothing.
  const key = `${station.structure.entry.id} ${station.factor.id} ${batches.map(({ id }) => id).join()}`
  let shared = known.get(key)
  if (shared === undefined) {
    const { severity } = alarmSettings(station.structure)
    shared = {
      judge: compileStation(batches, station.factor.items, severity),
      memory: memoryOf(batches),
    }
    known.set(key, shared)
  }
  known.set(station.entry.id, shared)
  return shared
}

/** What a structure says about its alarms, and what holds where it says nothing. */
export const alarmSettings = ({ entry }: CatalogueStructure): StructureAlarms => ({
  ...STRUCTURE_ALARMS,
  ...entry.alarms,
})

const batchesOf = (
  catalogue: Catalogue,
  { entry: { id, structure, factor } }: CatalogueStation,
): readonly ThresholdBatchEntry[] =>
  catalogue.listThresholdBatches(structure, factor).filter(({ stations }) => stations.includes(id))
