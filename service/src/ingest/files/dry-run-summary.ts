import type { Replacement } from '@plumbline/contract'
import type { Catalogue } from '../../domain/site/catalogue.ts'
import { parseQuality } from '../../domain/quality/quality-text.ts'
import type { QualityClass } from '../../domain/quality/quality.ts'
import type { Zone } from '../../domain/time/local-time.ts'
import { countOf } from '../../errors/show.ts'
import type { RecordKind, RecordStore } from '../../storage/storage.ts'
import type { Target } from '../formats/mapping.ts'
import { RecentTimes } from '../formats/recent-times.ts'
import type { RejectedRow, RowBatch } from '../formats/records.ts'
import { showTime } from './show-time.ts'
import {
  addChanges,
  describeChanges,
  noChanges,
  type FileRecord,
  type StoredChanges,
} from './stored-changes.ts'

type StoredRecords = Pick<RecordStore, 'findStored'>

/** The smallest and the largest value of a key that is not bad, and how many are not good. */
type ValueSummary = { least: number; most: number; uncertain: number; bad: number }

/** The records that an import would store in one sensor or station. */
type TargetSummary = {
  kind: RecordKind
  id: Target['id']
  records: number
  first: number
  last: number
  changes: StoredChanges
  recent: RecentTimes
  values: Map<string, ValueSummary>
}

/** Gathers what an import of a file would store, for each sensor and station; stores nothing. */
export class DryRunSummary {
  readonly #stored: StoredRecords
  readonly #catalogue: Catalogue
  readonly #replace: Replacement
  readonly #targets = new Map<Target['id'], TargetSummary>()

  /** `replace`: what rows do to stored records of their time. */
  constructor(stored: StoredRecords, catalogue: Catalogue, replace: Replacement) {
    this.#stored = stored
    this.#catalogue = catalogue
    this.#replace = replace
  }

  /** Adds the records of a batch, except those that ingest has rejected. */
  async add(batch: RowBatch, rejected: readonly RejectedRow[]): Promise<void> {
    const left = new Set(
      rejected.flatMap(({ line, targets = [] }) => targets.map((id) => keyOf(line.number, id))),
    )
    const batches = new Map<TargetSummary, Map<number, FileRecord[]>>()
    const take = (kind: RecordKind, id: Target['id'], record: FileValues, line: number): void => {
      if (left.has(keyOf(line, id))) return
      const target = this.#targets.getOrInsertComputed(id, () => emptyTarget(kind, id))
      addRecord(target, record)
      const own = batches.getOrInsertComputed(target, () => new Map<number, FileRecord[]>())
      // A record of an earlier batch with this time was compared with the stored one.
      if (target.recent.hasSeen(record.time) && !own.has(record.time)) return
      own.getOrInsertComputed(record.time, () => []).push(record)
    }
    for (const [at, record] of batch.raw.entries())
      take('raw', record.sensor, record, batch.rawLines[at]?.number ?? 0)
    for (const [at, record] of batch.theme.entries())
      take('theme', record.station, record, batch.themeLines[at]?.number ?? 0)
    for (const [target, own] of batches) await this.#compare(target, [...own.values()].flat())
  }

  /** A paragraph for each sensor and station, in the order of the file. */
  lines(): string[] {
    return Array.from(this.#targets.values()).flatMap((target) => this.#describe(target))
  }

  #describe({ kind, id, records, first, last, changes, values }: TargetSummary): string[] {
    const { name, zone, unitOf } = describeTarget(this.#catalogue, kind, id)
    return [
      `  ${kind === 'raw' ? 'sensor' : 'station'} ${id}${name}: ${countOf(records, 'record')} ` +
        `from ${showTime(first, zone)} to ${showTime(last, zone)} (${zone.name}); ${describeChanges(changes)}`,
      ...Array.from(values, ([key, one]) => `    ${key}: ${describeValues(one, unitOf(key))}`),
    ]
  }

  async #compare(
    { kind, id, changes }: TargetSummary,
    records: readonly FileRecord[],
  ): Promise<void> {
    const { sensor, station } = findTarget(this.#catalogue, kind, id)
    const of = sensor ?? station
    const source = sensor?.key ?? station?.entry.id
    if (of === undefined || source === undefined) return
    const compared = { kind, source, of, replace: this.#replace }
    await addChanges(changes, this.#stored, compared, records)
  }
}

function describeValues({ least, most, uncertain, bad }: ValueSummary, unit: string): string {
  return [
    ...(least <= most ? [`${least} to ${most}${unit}`] : []),
    ...(uncertain > 0 ? [`${uncertain.toLocaleString('en')} uncertain`] : []),
    ...(bad > 0 ? [`${bad.toLocaleString('en')} bad`] : []),
  ].join(', ')
}

type FileValues = FileRecord & {
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
  changes: noChanges(),
  recent: new RecentTimes(),
  values: new Map(),
})

function addRecord(target: TargetSummary, { time, values, quality = {} }: FileValues): void {
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

const findTarget = ({ sensors, stations }: Catalogue, kind: RecordKind, id: Target['id']) => ({
  sensor: kind === 'raw' ? sensors.get(String(id)) : undefined,
  station: kind === 'theme' ? stations.get(Number(id)) : undefined,
})

type TargetWords = { name: string; zone: Zone; unitOf(key: string): string }

function describeTarget(catalogue: Catalogue, kind: RecordKind, id: Target['id']): TargetWords {
  const { sensor, station } = findTarget(catalogue, kind, id)
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
