import type { Zone } from '../../domain/time/local-time.ts'
import { shorten } from '../../errors/show.ts'
import type { Fields } from '../../encodings/csv/fields.ts'
import type { Line } from '../../encodings/csv/line.ts'
import type { SplitRow } from './columns.ts'
import type { Mapping, Target } from './mapping.ts'
import { RecentTimes } from './recent-times.ts'
import { readCell } from './read-cell.ts'
import { wallReader } from './wall-reader.ts'

type RowValues = Record<string, number>

/** A rejected row, with the reason; `targets`: those whose values were rejected, otherwise all. */
export type RejectedRow = { line: Line; reason: string; targets?: readonly Target['id'][] }

/** The number of stored records of a batch, and its rejected rows. */
export type StoreReport = { accepted: number; replaced: number; rejected: RejectedRow[] }

/** The records of some rows as ingest takes them, each with its line, and the rejected rows. */
export type RowBatch = {
  raw: { sensor: string; time: number; values: RowValues }[]
  theme: { station: number; time: number; values: RowValues }[]
  rawLines: Line[]
  themeLines: Line[]
  /** Rows that were read, the rejected ones included, and the numbers in their mapped columns. */
  rows: number
  values: number
  /** Rows in which every mapped column is without a value. */
  withoutValue: number
  rejected: RejectedRow[]
  /** The line numbers of rows with the time of a row shortly before. */
  doubled: number[]
  /** The lines that name the columns of the rows below them, in order. */
  headers: HeaderLine[]
}

/** The header that applies from a line on; `text` is undefined where there is none. */
type HeaderLine = { from: number; text: string | undefined }

export const emptyBatch = (headers: HeaderLine[] = []): RowBatch => ({
  raw: [],
  theme: [],
  rawLines: [],
  themeLines: [],
  rows: 0,
  values: 0,
  withoutValue: 0,
  rejected: [],
  doubled: [],
  headers,
})

/** The zone of the structure of a target; undefined where the site has no such target. */
export type ZoneOf = (target: Target) => Zone | undefined

type TargetZone = { target: Target; zone: Zone | undefined }

/** Turns rows into records, one for each sensor and station of the mapping. */
export class RecordReader {
  readonly #mapping: Mapping
  readonly #readTime: ReturnType<typeof wallReader>
  readonly #targets: readonly TargetZone[]
  readonly #recent = new RecentTimes()

  constructor(mapping: Mapping, zoneOf: ZoneOf) {
    this.#mapping = mapping
    this.#readTime = wallReader(mapping.time)
    this.#targets = mapping.targets.map((target) => ({
      target,
      zone: mapping.zone ?? zoneOf(target),
    }))
  }

  /** Adds the records of a row to a batch, or rejects it. */
  read({ fields, layout }: SplitRow, line: Line, batch: RowBatch): void {
    batch.rows++
    const time = this.#readTime(fields, layout.time)
    if ('reason' in time) return void batch.rejected.push({ line, reason: time.reason })
    if (this.#recent.hasSeen(time.milliseconds)) {
      batch.doubled.push(line.number)
      if (this.#mapping.duplicates === 'refuse')
        return void batch.rejected.push({ line, reason: 'an earlier row has the same time' })
    }

    const before = batch.values
    const problems: string[] = []
    const targets: Target['id'][] = []
    let index = 0
    for (const { target, zone } of this.#targets) {
      const places = layout.targets[index++]
      if (places === undefined) throw new RangeError(`the layout has no target ${target.id}`)
      const count = problems.length
      const values = this.#readValues(target, fields, places, batch, problems)
      if (problems.length > count) targets.push(target.id)
      if (values === undefined) continue
      const instant =
        time.isWall && zone !== undefined
          ? time.milliseconds - zone.spanAtLocal(time.milliseconds).offset
          : time.milliseconds
      put(batch, target, instant, values, line)
    }
    // The other values of the row are stored.
    if (problems.length > 0) batch.rejected.push({ line, reason: problems.join('; '), targets })
    else if (batch.values === before) batch.withoutValue++
  }

  #readValues(
    { columns }: Target,
    fields: Fields,
    at: readonly number[],
    batch: RowBatch,
    problems: string[],
  ): RowValues | undefined {
    let values: RowValues | undefined
    let index = 0
    for (const { key, scale, column } of columns) {
      const field = at[index++]
      if (field === undefined) throw new RangeError(`the layout has no place for ${show(column)}`)
      const value = readCell(fields, field, this.#mapping)
      if (value === null) continue
      if (value === undefined) {
        const text = JSON.stringify(shorten(fields.text(field), 40))
        problems.push(`column ${show(column)}: ${text} is not a number`)
        continue
      }
      // A key is data: `__proto__` must become a member like any other.
      values ??= new Members()
      values[key] = scale === 1 ? value : value * scale
      batch.values++
    }
    return values
  }
}

/** An object that inherits no members: several times faster than one of `Object.create(null)`. */
class Members {
  [key: string]: number
}
Object.setPrototypeOf(Members.prototype, null)
Reflect.deleteProperty(Members.prototype, 'constructor')

const show = (column: string | number): string =>
  typeof column === 'number' ? String(column) : JSON.stringify(column)

function put(batch: RowBatch, target: Target, time: number, values: RowValues, line: Line): void {
  if (target.kind === 'raw') {
    batch.raw.push({ sensor: target.id, time, values })
    batch.rawLines.push(line)
  } else {
    batch.theme.push({ station: target.id, time, values })
    batch.themeLines.push(line)
  }
}
