import { compileStation, type StationJudge } from '../domain/alarms/station-evaluator.ts'
import { STRUCTURE_ALARMS, type StructureAlarms } from '../domain/alarms/alarm-settings.ts'
import type { Catalogue, CatalogueStation, CatalogueStructure } from '../domain/site/catalogue.ts'
import type { ThresholdBatchEntry } from '../domain/site/site-entry.ts'
import { windowOf } from './rule-window.ts'

/** What evaluates a station's records, and how far back its rules look in milliseconds; 0 without rules. */
export type CompiledStation = { evaluator: StationJudge; window: number }

/** What evaluates the records of each station by one version of the site; compiled when first needed. */
export class StationEvaluators {
  readonly catalogue: Catalogue
  readonly #ofStations = new Map<number, CompiledStation>()
  readonly #shared = new Map<string, CompiledStation>()

  constructor(catalogue: Catalogue) {
    this.catalogue = catalogue
  }

  of(station: CatalogueStation): CompiledStation {
    const { id } = station.entry
    let compiled = this.#ofStations.get(id)
    if (compiled === undefined) this.#ofStations.set(id, (compiled = this.#compile(station)))
    return compiled
  }

  /** Stations with the same threshold batches share an evaluator: it keeps no state. */
  #compile(station: CatalogueStation): CompiledStation {
    const batches = batchesOf(this.catalogue, station)
    const { structure, factor } = station
    const key = `${structure.entry.id} ${factor.id} ${batches.map(({ id }) => id).join()}`
    let compiled = this.#shared.get(key)
    if (compiled === undefined) {
      const { severity } = alarmSettings(structure)
      const evaluator = compileStation(batches, factor.items, severity)
      this.#shared.set(key, (compiled = { evaluator, window: windowOf(batches) }))
    }
    return compiled
  }
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
