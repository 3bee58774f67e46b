import { untrack } from 'svelte'
import { formatLocal } from '../../chart/local-time.ts'
import { client } from '../../state/api.ts'
import { connection } from '../../state/connection.svelte.ts'
import { Live } from '../../state/live.svelte.ts'
import { load } from '../../state/load.svelte.ts'
import type { StationPlace } from '../../state/station-place.ts'
import { alarmsOf } from './alarms.ts'
import { findBadItems } from './bad-items.ts'
import { countValues, type StationRecords } from './chart-data.ts'
import { mergeItems, type StationItems } from './lines.ts'
import type { ViewedWindow } from './viewed-window.svelte.ts'

/** As many values are read one by one. */
export const SINGLE = 2000
/** New records are read at most this often. */
const FOLLOW_MILLISECONDS = 2000

/**
 * What a window shows of stations: summaries first, single records where there are few enough, thresholds
 * and alarms. Made with a component, and follows new records as long as it lives.
 */
export class StationData {
  readonly #places: () => readonly StationPlace[]
  readonly #viewed: ViewedWindow
  readonly #ids = $derived.by(() => this.#places().map(({ id }) => id))
  #seen = $state.raw<readonly StationItems[]>([])

  readonly series = load(async (signal) => {
    const window = this.#viewed.settled
    if (window === undefined || this.#ids.length === 0) return undefined
    const points = Math.min(Math.max(Math.ceil(innerWidth / 200) * 200, 400), 2000)
    return client.getSeries({ stations: this.#ids, ...timesOf(window), points }, { signal })
  })
  readonly #count = $derived(this.series.value === undefined ? 0 : countValues(this.series.value))
  readonly records = load(async (signal) => {
    const [of, window] = [this.series.value, this.#viewed.settled]
    // Where no value is good, there may be others.
    if (of === undefined || window === undefined || this.#count > SINGLE) return undefined
    const all = await Promise.all(
      this.#places().map(async ({ id, name }) => ({
        stationId: id,
        name,
        records: await client.listStationRecords(
          { stationId: id, ...timesOf(window), limit: 10_000 },
          { signal },
        ),
      })),
    )
    return { of, window, all }
  })
  readonly #single = $derived.by(() => {
    if (this.records.value === undefined) return undefined
    const { of, window, all } = this.records.value
    const { asked } = this.#viewed
    const isSameView = asked === undefined || (window.from === asked.from && window.to === asked.to)
    return of === this.series.value || (isSameView && this.#count <= SINGLE) ? all : undefined
  })
  readonly #onlyBad = load((signal) =>
    findBadItems(this.#places(), { series: this.series.value, single: this.#single }, signal),
  )
  readonly batches = load(async (signal) => {
    const factors = new Map(
      this.#places().map(({ structure, factor }) => [
        factor.id,
        { structId: structure.id, factorId: factor.id },
      ]),
    )
    const lists = await Promise.all(
      [...factors.values()].map((one) => client.listThresholdBatches(one, { signal })),
    )
    return lists.flat()
  })
  readonly alarms = load(async (signal) => {
    const window = this.#viewed.settled
    if (window === undefined || this.#ids.length === 0) return []
    return alarmsOf(this.#places(), window, signal)
  })

  constructor(places: () => readonly StationPlace[], viewed: ViewedWindow) {
    this.#places = places
    this.#viewed = viewed
    $effect(() => this.#remember())
    this.#follow()
  }

  /** How many values the window has, of the station with the most. */
  get count(): number {
    return this.#count
  }

  /** The single records of the window; while a following chart reads again, the ones before. */
  get single(): readonly StationRecords[] | undefined {
    return this.#single
  }

  /** Whether points are summaries: of many values, or of those that are not read one by one yet. */
  get isSummary(): boolean {
    return this.#single === undefined && this.#count > 0
  }

  /** Why thresholds or alarms are not drawn. */
  get lack(): unknown {
    return [this.batches, this.alarms].find(({ error, isLoading }) => error && !isLoading)?.error
  }

  get hasNoRecord(): boolean {
    return this.#single?.every(({ records }) => records.records.length === 0) ?? false
  }

  /** The items of the stations. They stay where the window has none of them. */
  get items(): readonly StationItems[] {
    return this.#seen
  }

  #remember(): void {
    const now = (this.series.value?.stations ?? []).map(({ id, items }) => ({
      stationId: id,
      items: Object.entries(items).map(([key, { name, unit }]) => ({ key, name, unit })),
    }))
    // Summaries do not name items that have bad values only.
    const more = [...now, ...(this.#onlyBad.value ?? [])]
    this.#seen = mergeItems(
      untrack(() => this.#seen),
      more,
    )
  }

  /** A chart without a window in its address goes with new records, another one reads its window again. */
  #follow(): void {
    let soon: ReturnType<typeof setTimeout> | undefined
    const refresh = (): void => {
      soon ??= setTimeout(() => {
        soon = undefined
        if (this.#viewed.asked === undefined) this.#viewed.reload()
        else this.series.reload()
        this.alarms.reload()
      }, FOLLOW_MILLISECONDS)
    }
    const live = new Live({
      onalarm: ({ alarm: { structureId } }) =>
        this.#places().some(({ structure }) => structure.id === structureId) && refresh(),
      onnewest: ({ stationIds }) => stationIds.some((id) => this.#ids.includes(id)) && refresh(),
      onreset: refresh,
    })
    $effect(() => live.follow())
    $effect(() => {
      if (connection.isLost) live.reconnect()
    })
    $effect(() => () => clearTimeout(soon))
  }
}

const timesOf = ({ from, to }: { from: number; to: number }) => ({
  startTime: formatLocal(from),
  endTime: formatLocal(to),
})
