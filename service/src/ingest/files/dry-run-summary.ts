import type { Catalogue } from '../../domain/site/catalogue.ts'
import { findInstant } from '../../domain/records/record-list.ts'
import { parseQuality } from '../../domain/quality/quality-text.ts'
import type { QualityClass } from '../../domain/quality/quality.ts'
import type { Zone } from '../../domain/time/local-time.ts'
import { countOf } from '../../errors/show.ts'
import type { RecordKind, RecordStore } from '../../storage/storage.ts'
import type { Target } from '../formats/mapping.ts'
import { RecentTimes } from '../formats/recent-times.ts'
import type { RejectedRow, RowBatch } from '../formats/records.ts'
import { showTime } from './show-time.ts'

type StoredRecords = Pick<RecordStore, 'readLists'>

/** The smallest and the largest value of a key that is not bad, and how many are not good. */
type ValueSummary = { least: number; most: number; uncertain: number; bad: number }

/** The records that an import would store in one sensor or station. */
type TargetSummary = {
  kind: RecordKind
  id: Target['id']
  records: number
  first: number
  last: number
  /** The stored records that would be replaced. */
  replaced: number
  recent: RecentTimes
  values: Map<string, ValueSummary>
}

/** Stored records are read in portions without a longer gap: times may jump, as swapped months do. */
const GAP_MILLISECONDS = 3_600_000

/** Gathers what an import of a file would store, for each sensor and station; stores nothing. */
export class DryRunSummary {
  readonly #stored: StoredRecords
  readonly #catalogue: Catalogue
  readonly #targets = new Map<Target['id'], TargetSummary>()

  constructor(stored: StoredRecords, catalogue: Catalogue) {
    this.#stored = stored
    this.#catalogue = catalogue
  }

  /** Adds the records of a batch, except those that ingest has rejected. */
  async add(batch: RowBatch, rejected: readonly RejectedRow[]): Promise<void> {
    const left = new Set(
      rejected.flatMap(({ line, targets = [] }) => targets.map((id) => keyOf(line.number, id))),
    )
    const times = new Map<TargetSummary, number[]>()
    const take = (kind: RecordKind, id: Target['id'], record: TimedValues, line: number): void => {
      if (left.has(keyOf(line, id))) return
      const target = this.#targets.getOrInsertComputed(id, () => emptyTarget(kind, id))
      addRecord(target, record)
      // A stored record that two rows would replace counts once.
      if (!target.recent.hasSeen(record.time))
        times.getOrInsertComputed(target, () => []).push(record.time)
    }
    for (const [at, record] of batch.raw.entries())
      take('raw', record.sensor, record, batch.rawLines[at]?.number ?? 0)
    for (const [at, record] of batch.theme.entries())
      take('theme', record.station, record, batch.themeLines[at]?.number ?? 0)
    for (const [target, own] of times) target.replaced += await this.#countStored(target, own)
  }

  /** A paragraph for each sensor and station, in the order of the file. */
  lines(): string[] {
    return Array.from(this.#targets.values()).flatMap((target) => this.#describe(target))
  }

  #describe({ kind, id, records, first, last, replaced, values }: TargetSummary): string[] {
    const { name, zone, unitOf } = describeTarget(this.#catalogue, kind, id)
    const would =
      replaced === 0
        ? 'no stored record would be replaced'
        : `${countOf(replaced, 'stored record')} would be replaced`
    return [
      `  ${kind === 'raw' ? 'sensor' : 'station'} ${id}${name}: ${countOf(records, 'record')} ` +
        `from ${showTime(first, zone)} to ${showTime(last, zone)} (${zone.name}); ${would}`,
      ...Array.from(values, ([key, one]) => `    ${key}: ${describeValues(one, unitOf(key))}`),
    ]
  }

  /** How many of the instants have a stored record. */
  async #countStored({ kind, id }: TargetSummary, times: readonly number[]): Promise<number> {
    const source = kind === 'raw' ? this.#catalogue.sensors.get(String(id))?.key : Number(id)
    if (source === undefined) return 0
    let count = 0
    for (const { from, to, instants } of portionsOf(times))
      for await (const list of this.#stored.readLists({ kind, source, from, to }))
        for (const time of instants) if (hasInstant(list.times, time)) count++
    return count
  }
}

function describeValues({ least, most, uncertain, bad }: ValueSummary, unit: string): string {
  return [
    ...(least <= most ? [`${least} to ${most}${unit}`] : []),
    ...(uncertain > 0 ? [`${uncertain.toLocaleString('en')} uncertain`] : []),
    ...(bad > 0 ? [`${bad.toLocaleString('en')} bad`] : []),
  ].join(', ')
}

type TimedValues = {
  time: number
  values: Readonly<Record<string, number>>
  quality?: Readonly<Record<string, string>>
}

const keyOf = (line: number, id: Target['id']): string => `${line} ${id}`

const emptyTarget = (kind: RecordKind, id: Target['id']): TargetSummary => ({
  kind,
  id,
  records: 0,
  first: Infinity,
  last: -Infinity,
  replaced: 0,
  recent: new RecentTimes(),
  values: new Map(),
})

function addRecord(target: TargetSummary, { time, values, quality = {} }: TimedValues): void {
  target.records++
  target.first = Math.min(target.first, time)
  target.last = Math.max(target.last, time)
  for (const [key, value] of Object.entries(values)) {
    const summary = target.values.getOrInsertComputed(key, noValues)
    const text = Object.hasOwn(quality, key) ? quality[key] : undefined
    addValue(summary, value, text === undefined ? 'good' : parseQuality(text)?.quality)
  }
}

const noValues = (): ValueSummary => ({ least: Infinity, most: -Infinity, uncertain: 0, bad: 0 })

function addValue(summary: ValueSummary, value: number, quality: QualityClass | undefined): void {
  if (quality === 'uncertain') summary.uncertain++
  if (quality === 'bad') {
    summary.bad++
    return
  }
  summary.least = Math.min(summary.least, value)
  summary.most = Math.max(summary.most, value)
}

type Portion = { from: number; to: number; instants: number[] }

/** Divides instants where there is a gap between them. */
function portionsOf(times: readonly number[]): Portion[] {
  const portions: Portion[] = []
  let portion: Portion | undefined
  for (const time of times.toSorted((one, other) => one - other)) {
    if (portion === undefined || time - portion.to > GAP_MILLISECONDS) {
      portion = { from: time, to: time, instants: [] }
      portions.push(portion)
    }
    portion.to = time
    portion.instants.push(time)
  }
  return portions
}

const hasInstant = (times: ArrayLike<number>, time: number): boolean =>
  times[findInstant(times, time)] === time

type TargetWords = { name: string; zone: Zone; unitOf(key: string): string }

function describeTarget(catalogue: Catalogue, kind: RecordKind, id: Target['id']): TargetWords {
  const sensor = kind === 'raw' ? catalogue.sensors.get(String(id)) : undefined
  const station = kind === 'theme' ? catalogue.stations.get(Number(id)) : undefined
  const found = sensor ?? station
  // Records of an unknown target are rejected.
  if (found === undefined) throw new RangeError(`the site has no ${kind} target ${id}`)
  const items = sensor?.entry.items ?? station?.factor.items ?? []
  return {
    name: ` (${found.entry.name})`,
    zone: found.structure.zone,
    unitOf: (key) => {
      const { unit = '' } = items.find((item) => item.key === key) ?? {}
      return unit === '' ? '' : ` ${unit}`
    },
  }
}
