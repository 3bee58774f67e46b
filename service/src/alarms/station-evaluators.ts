import { STRUCTURE_ALARMS, type StructureAlarms } from '../domain/alarms/alarm-settings.ts'
import { compileStation, type StationEvaluator } from '../domain/alarms/station-evaluator.ts'
import type { Catalogue, CatalogueStation, CatalogueStructure } from '../domain/site/catalogue.ts'
import type { ThresholdBatchEntry } from '../domain/site/site-entry.ts'
import { lookbackOf } from './rule-lookback.ts'

/** An evaluator, and how far its rules look back in milliseconds; 0 without rules. */
export type CompiledEvaluator = { evaluator: StationEvaluator; lookback: number }

/** The evaluators of all stations of one version of the site, compiled when first needed. */
export class StationEvaluators {
  readonly catalogue: Catalogue
  readonly #byStation = new Map<number, CompiledEvaluator>()
  readonly #shared = new Map<string, CompiledEvaluator>()

  constructor(catalogue: Catalogue) {
    this.catalogue = catalogue
  }

  of(station: CatalogueStation): CompiledEvaluator {
    return this.#byStation.getOrInsertComputed(station.entry.id, () => this.#compile(station))
  }

  /** Stations with the same threshold batches share an evaluator, which has no state. */
  #compile(station: CatalogueStation): CompiledEvaluator {
    const batches = batchesOf(this.catalogue, station)
    const { structure, factor } = station
    const key = `${structure.entry.id} ${factor.id} ${batches.map(({ id }) => id).join()}`
    return this.#shared.getOrInsertComputed(key, () => {
      const { severity } = alarmSettings(structure)
      const evaluator = compileStation(batches, factor.items, severity)
      return { evaluator, lookback: lookbackOf(batches) }
    })
  }
}

/** The alarm settings of a structure, with defaults. */
export const alarmSettings = ({ entry }: CatalogueStructure): StructureAlarms => ({
  ...STRUCTURE_ALARMS,
  ...entry.alarms,
})

/** The threshold batches of a station that are switched on. */
const batchesOf = (
  catalogue: Catalogue,
  { entry: { id, structure, factor } }: CatalogueStation,
): readonly ThresholdBatchEntry[] =>
  catalogue
    .listThresholdBatches(structure, factor)
    .filter(({ stations, enabled = true }) => enabled && stations.includes(id))
