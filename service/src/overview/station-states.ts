import type { StationState } from '@plumbline/contract'
import { alarmSettings } from '../alarms/station-evaluators.ts'
import { declaredInterval, devicesOf, stationState } from '../domain/overview/station-state.ts'
import type { Catalogue, CatalogueStation } from '../domain/site/catalogue.ts'
import type { Storage } from '../storage/storage.ts'
import { OpenLevels } from './open-levels.ts'
import { UsualIntervals } from './usual-intervals.ts'

/** When a record is too old, as the settings say. */
export type StaleSettings = {
  /** For a station whose sensors declare no interval: the number of its usual intervals. */
  staleAfter: number
  /** For a station of which no interval is known. */
  staleHours: number
}

type StationStatesOptions = StaleSettings & {
  storage: { records: Pick<Storage['records'], 'findNewest' | 'findUsualIntervals'> } & {
    alarms: Pick<Storage['alarms'], 'listOpenLevels'>
  }
  /** The last instant at which a record counts as newest. */
  horizon(): number
  now(): number
}

export type StationStatus = Readonly<{
  station: CatalogueStation
  state: StationState
  newest: number | null
  /** The greatest age at which it is fine, in milliseconds. */
  expected: number
  worstLevel: number | null
}>

export type StatesAtOnce = Readonly<{
  now: number
  levels: OpenLevels
  stations: readonly StationStatus[]
}>

const HOUR = 3_600_000

/** Records come a moment late: a station is not stale before. */
const LEAST_EXPECTED = 60_000

/** Tells how new the records of stations are, and which alarms they have. */
export class StationStates {
  readonly #options: StationStatesOptions
  readonly #intervals: UsualIntervals

  constructor(options: StationStatesOptions) {
    this.#options = options
    this.#intervals = new UsualIntervals(options.storage.records)
  }

  async read(catalogue: Catalogue, stations: readonly CatalogueStation[]): Promise<StatesAtOnce> {
    const { storage, now: clock } = this.#options
    const horizon = this.#options.horizon()
    const ids = stations.map(({ entry }) => entry.id)
    const [newest, open, expected] = await Promise.all([
      storage.records.findNewest('theme', ids, horizon),
      storage.alarms.listOpenLevels(),
      this.#expected(catalogue, stations, horizon),
    ])
    const levels = new OpenLevels(open)
    const now = clock()
    return {
      now,
      levels,
      stations: stations.map((station, at) => {
        const timeliness = {
          newest: newest[at] ?? null,
          expected: expected[at] ?? 0,
          isOffline: levels.isSilent(devicesOf(station, catalogue.devices)),
          now,
        }
        const { severity } = alarmSettings(station.structure)
        return {
          station,
          state: stationState(timeliness),
          newest: timeliness.newest,
          expected: timeliness.expected,
          worstLevel: levels.worstOf(String(station.entry.id), severity),
        }
      }),
    }
  }

  async #expected(
    { devices }: Catalogue,
    stations: readonly CatalogueStation[],
    horizon: number,
  ): Promise<number[]> {
    const { staleAfter, staleHours } = this.#options
    const declared = stations.map((station) => declaredInterval(station, devices))
    const others = stations.filter((_, at) => declared[at] === undefined)
    const usual = await this.#intervals.of(
      others.map(({ entry }) => entry.id),
      horizon,
    )
    const usualOf = new Map(others.map(({ entry }, at) => [entry.id, usual[at]]))
    return stations.map((station, at) => {
      const own = declared[at]
      if (own !== undefined)
        return Math.max(own * alarmSettings(station.structure).offlineAfter, LEAST_EXPECTED)
      const interval = usualOf.get(station.entry.id)
      if (interval === undefined) return staleHours * HOUR
      return Math.max(interval * staleAfter, LEAST_EXPECTED)
    })
  }
}
