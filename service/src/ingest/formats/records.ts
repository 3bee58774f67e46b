import type { Zone } from '../../domain/time/local-time.ts'
import { shorten } from '../../errors/show.ts'
import type { Fields } from '../../encodings/csv/fields.ts'
import type { Line } from '../../encodings/csv/line.ts'
import type { Row } from './layout.ts'
import type { Mapping, Target } from './mapping.ts'
import { RecentTimes } from './recent-times.ts'
import { readCell } from './read-cell.ts'
import { wallReader } from './wall-reader.ts'

export type Values = Record<string, number>
export type RawRecord = { sensor: string; time: number; values: Values }
export type ThemeRecord = { station: number; time: number; values: Values }

/** Records as ingest takes them, each with the line it came from. */
export type Records = {
  raw: RawRecord[]
  theme: ThemeRecord[]
  rawLines: Line[]
  themeLines: Line[]
}

/** A line that was refused, whole, or in what it holds for some targets. */
export type RejectedRow = { line: Line; reason: string; targets?: readonly Target['id'][] }

/** What became of some rows. */
export type RowBatch = Records & {
  /** Rows that were read, the refused ones too, and the numbers they held for the mapping. */
  rows: number
  values: number
  /** Rows in which every mapped column is without a value. */
  withoutValue: number
  refused: RejectedRow[]
  /** Rows of a time that a row shortly before them had, by their lines. */
  doubled: number[]
  /** The lines that name the columns of the rows below them, in order. */
  headers: Header[]
}

/** The line of a header that holds from a line on; without a text there is none. */
export type Header = { from: number; text: string | undefined }

export const emptyBatch = (headers: Header[] = []): RowBatch => ({
  raw: [],
  theme: [],
  rawLines: [],
  themeLines: [],
  rows: 0,
  values: 0,
  withoutValue: 0,
  refused: [],
  doubled: [],
  headers,
})

/** Whose clock the times of a target are of; undefined for one that nobody knows. */
export type ZoneOf = (target: Target) => Zone | undefined

type Clocked = { target: Target; zone: Zone | undefined }

/** Turns rows into records, one for each sensor and station of the mapping. */
export class RecordReader {
  readonly #mapping: Mapping
  readonly #readTime: ReturnType<typeof wallReader>
  readonly #targets: readonly Clocked[]
  readonly #recent = new RecentTimes()

  constructor(mapping: Mapping, zoneOf: ZoneOf) {
    this.#mapping = mapping
    this.#readTime = wallReader(mapping.time)
    this.#targets = mapping.targets.map((target) => ({
      target,
      zone: mapping.zone ?? zoneOf(target),
    }))
  }

  /** Adds what a row holds to a batch. */
  read({ fields, layout }: Row, line: Line, batch: RowBatch): void {
    batch.rows++
    const time = this.#readTime(fields, layout.time)
    if ('reason' in time) return void batch.refused.push({ line, reason: time.reason })
    if (this.#recent.hasSeen(time.milliseconds)) {
      batch.doubled.push(line.number)
      if (this.#mapping.duplicates === 'refuse')
        return void batch.refused.push({ line, reason: 'an earlier row has the same time' })
    }

    const before = batch.values
    const problems: string[] = []
    const targets: Target['id'][] = []
    for (let index = 0; index < this.#targets.length; index++) {
      const { target, zone } = this.#targets[index]!
      const count = problems.length
      const values = this.#readValues(target, fields, layout.targets[index]!, batch, problems)
      if (problems.length > count) targets.push(target.id)
      if (values === undefined) continue
      const instant =
        time.isWall && zone !== undefined
          ? time.milliseconds - zone.spanAtLocal(time.milliseconds).offset
          : time.milliseconds
      put(batch, target, instant, values, line)
    }
    // The good values of the row are kept; the row is named, and kept too.
    if (problems.length > 0) batch.refused.push({ line, reason: problems.join('; '), targets })
    else if (batch.values === before) batch.withoutValue++
  }

  #readValues(
    { columns }: Target,
    fields: Fields,
    at: readonly number[],
    batch: RowBatch,
    problems: string[],
  ): Values | undefined {
    let values: Values | undefined
    for (let index = 0; index < columns.length; index++) {
      const { key, scale, column } = columns[index]!
      const field = at[index]!
      const value = readCell(fields, field, this.#mapping)
      if (value === null) continue
      if (value === undefined) {
        const text = JSON.stringify(shorten(fields.text(field), 40))
        problems.push(`column ${show(column)} holds ${text}, no number`)
        continue
      }
      // A key is data: `__proto__` must become a member like any other.
      values ??= new Members() as Values
      values[key] = scale === 1 ? value : value * scale
      batch.values++
    }
    return values
  }
}

/** An object that inherits no members, and yet has the form of its like: that is several times faster. */
const Members = function () {} as unknown as new () => object
Members.prototype = Object.create(null) as object

const show = (column: string | number): string =>
  typeof column === 'number' ? String(column) : JSON.stringify(column)

function put(batch: RowBatch, target: Target, time: number, values: Values, line: Line): void {
  if (target.kind === 'raw') {
    batch.raw.push({ sensor: target.id as string, time, values })
    batch.rawLines.push(line)
  } else {
    batch.theme.push({ station: target.id as number, time, values })
    batch.themeLines.push(line)
  }
}
