import { STRUCTURE_ALARMS, type StructureAlarms } from '../domain/alarms/alarm-settings.ts'
import { lookbackOf, valueLookbacksOf, type ValueLookback } from '../domain/alarms/rule-lookback.ts'
import { compileStation, type StationEvaluator } from '../domain/alarms/station-evaluator.ts'
import type { Catalogue, CatalogueStation, CatalogueStructure } from '../domain/site/catalogue.ts'
import type { ThresholdBatchEntry } from '../domain/site/site-entry.ts'

/**
 * An evaluator, how far its rules look back in milliseconds (0 without rules), and at how many values
 * they do.
 */
export type CompiledEvaluator = {
  evaluator: StationEvaluator
  lookback: number
  valueLookbacks: readonly ValueLookback[]
}

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
      const { severity, evaluateUncertain } = alarmSettings(structure)
      const keys = factor.items.map((item) => item.key)
      return {
        evaluator: compileStation(batches, factor.items, severity, { evaluateUncertain }),
        lookback: lookbackOf(batches, { evaluateUncertain }),
        valueLookbacks: valueLookbacksOf(batches, keys, { evaluateUncertain }),
      }
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
