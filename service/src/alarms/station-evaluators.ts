import { STRUCTURE_ALARMS, type StructureAlarms } from '../domain/alarms/alarm-settings.ts'
import { compileStation, type StationEvaluator } from '../domain/alarms/station-evaluator.ts'
import type { Catalogue, CatalogueStation, CatalogueStructure } from '../domain/site/catalogue.ts'
import type { ThresholdBatchEntry } from '../domain/site/site-entry.ts'
import { lookbackOf } from './rule-lookback.ts'

/** An evaluator, and how many milliseconds of records its rules look back; 0 where it has none. */
export type CompiledEvaluator = { evaluator: StationEvaluator; lookback: number }

const compiledOf = new WeakMap<Catalogue, Map<string | number, CompiledEvaluator>>()

/** What evaluates the records of a station by the site as it stands; compiled when first asked for. */
export function evaluatorOf(catalogue: Catalogue, station: CatalogueStation): CompiledEvaluator {
  let known = compiledOf.get(catalogue)
  if (known === undefined) compiledOf.set(catalogue, (known = new Map()))
  const compiled = known.get(station.entry.id)
  if (compiled !== undefined) return compiled

  const batches = batchesOf(catalogue, station)
  // Stations with the same batches share an evaluator, for it keeps nothing.
  const key = `${station.structure.entry.id} ${station.factor.id} ${batches.map(({ id }) => id).join()}`
  let shared = known.get(key)
  if (shared === undefined) {
    const { severity } = alarmSettings(station.structure)
    shared = {
      evaluator: compileStation(batches, station.factor.items, severity),
      lookback: lookbackOf(batches),
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
