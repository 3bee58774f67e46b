import type { Zone } from '../../domain/time/local-time.ts'
import {
  LoggerClock,
  type AmbiguousHour,
  type LoggerClockState,
} from '../../domain/time/logger-clock.ts'
import { RefusedError } from '../../errors/refused-error.ts'
import type { Fields } from '../../encodings/csv/fields.ts'
import type { Line } from '../../encodings/csv/line.ts'
import type { ColumnLayout, RowProblem, SplitRow } from './columns.ts'
import type { Mapping, Target } from './mapping.ts'
import { RecentTimes } from './recent-times.ts'
import { readValue } from './read-value.ts'
import { describeSkippedRow } from './odd-hours.ts'
import { compileColumns, type ReadColumn, type UnitOf } from './read-columns.ts'
import { wallReader } from './wall-reader.ts'

/** The values of a record, and the qualities of those that are not good; left out where all are. */
type RowValues = { values: Record<string, number>; quality?: Record<string, string> }

/** A rejected row, with the reason; `targets`: those whose values were rejected, otherwise all. */
export type RejectedRow = { line: Line; reason: string; targets?: readonly Target['id'][] }

/** The number of stored records of a batch, and its rejected rows. */
export type StoreReport = { accepted: number; replaced: number; rejected: RejectedRow[] }

/** The records of some rows as ingest takes them, each with its line, and the rejected rows. */
export type RowBatch = {
  raw: ({ sensor: string; time: number } & RowValues)[]
  theme: ({ station: number; time: number } & RowValues)[]
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
  /** The line numbers of rows in the second pass of an hour that their zone repeats. */
  secondPass: Set<number>
  /** Rows with a local time that their zone skips. */
  skipped: number
  /** The repeated hours that ended, of whose rows the pass is not known. */
  ambiguous: AmbiguousHour[]
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
  secondPass: new Set(),
  skipped: 0,
  ambiguous: [],
  headers,
})

/** The zone of the structure of a target; undefined where the site has no such target. */
export type ZoneOf = (target: Target) => Zone | undefined

/** The clocks of a file's rows, one for each zone of its targets. */
export type ClockStates = (LoggerClockState & { zone: string })[]

type TargetColumns = {
  target: Target
  clock: LoggerClock | undefined
  columns: readonly ReadColumn[]
}

export type RecordReaderOptions = {
  mapping: Mapping
  zoneOf: ZoneOf
  unitOf?: UnitOf | undefined
  /** Where reading continues. */
  clocks?: ClockStates | undefined
  /** Whether a row in a repeated hour is of the second pass, without another row before it. */
  isSecondPass?: boolean | undefined
}

/** Turns rows into records, one for each sensor and station of the mapping. */
export class RecordReader {
  readonly #mapping: Mapping
  readonly #readTime: ReturnType<typeof wallReader>
  readonly #clocks: readonly LoggerClock[]
  /** The clock of each target. */
  readonly #clockOf: readonly (LoggerClock | undefined)[]
  readonly #unitOf: UnitOf
  readonly #recent = new RecentTimes()
  /** The layout of the rows before, and the columns that it leads to, or why it does not fit. */
  #layout: ColumnLayout | undefined
  #targets: readonly TargetColumns[] | RowProblem = []

  constructor({
    mapping,
    zoneOf,
    unitOf = () => undefined,
    clocks = [],
    isSecondPass = false,
  }: RecordReaderOptions) {
    this.#mapping = mapping
    this.#readTime = wallReader(mapping.time)
    this.#unitOf = unitOf
    const byZone = new Map<string, LoggerClock>()
    const openClock = (zone: Zone): LoggerClock => {
      const state = clocks.find((one) => one.zone === zone.name)
      return new LoggerClock(zone, { state, firstPass: isSecondPass ? 2 : 1 })
    }
    this.#clockOf = mapping.targets.map((target) => {
      const zone = mapping.zone ?? zoneOf(target)
      return zone && byZone.getOrInsertComputed(zone.name, () => openClock(zone))
    })
    this.#clocks = [...byZone.values()]
  }

  /** The clocks after the latest row. */
  get clocks(): ClockStates {
    return this.#clocks.flatMap(({ zone, state }) =>
      state === undefined ? [] : [{ ...state, zone }],
    )
  }

  /** Ends the repeated hour of the latest row: no further row follows. */
  end(batch: RowBatch): void {
    for (const clock of this.#clocks) {
      clock.leaveHour()
      batch.ambiguous.push(...clock.takeAmbiguous())
    }
  }

  /**
   * Adds the records of a row to a batch, or rejects it. Throws a `RefusedError` where a unit of the
   * first layout does not convert to that of its item.
   */
  read({ fields, layout }: SplitRow, line: Line, batch: RowBatch): void {
    batch.rows++
    const targetColumns = this.#columnsOf(layout)
    if ('reason' in targetColumns)
      return void batch.rejected.push({ line, reason: targetColumns.reason })
    const time = this.#readTime(fields, layout.time)
    if ('reason' in time) return void batch.rejected.push({ line, reason: time.reason })
    if (time.isWall) this.#readClocks(time.milliseconds, line, batch)
    const clocks = time.isWall ? this.#clocks : []
    const isSkipped = clocks.some((clock) => clock.isSkipped)
    if (isSkipped) batch.skipped++
    if (!isSkipped && this.#recent.hasSeen(clocks[0]?.instant ?? time.milliseconds)) {
      batch.doubled.push(line.number)
      if (this.#mapping.duplicates === 'refuse')
        return void batch.rejected.push({ line, reason: 'an earlier row has the same time' })
    }

    const before = batch.values
    const problems: string[] = []
    const targets: Target['id'][] = []
    for (const { target, clock, columns } of targetColumns) {
      if (time.isWall && clock?.isSkipped === true) {
        problems.push(describeSkippedRow(time.milliseconds, clock.zone))
        targets.push(target.id)
        continue
      }
      const count = problems.length
      const row = this.#readValues(columns, fields, batch, problems)
      if (problems.length > count) targets.push(target.id)
      if (row === undefined) continue
      const instant = time.isWall && clock !== undefined ? clock.instant : time.milliseconds
      put(batch, target, instant, row, line)
    }
    // The other values of the row are stored.
    if (problems.length > 0) {
      const reason = [...new Set(problems)].join('; ')
      batch.rejected.push({ line, reason, targets })
    } else if (batch.values === before) batch.withoutValue++
  }

  #readClocks(wall: number, line: Line, batch: RowBatch): void {
    for (const clock of this.#clocks) {
      clock.read(wall, line.number)
      if (clock.isSecondPass) batch.secondPass.add(line.number)
      if (clock.hasAmbiguous) batch.ambiguous.push(...clock.takeAmbiguous())
    }
  }

  #columnsOf(layout: ColumnLayout): readonly TargetColumns[] | RowProblem {
    if (layout === this.#layout) return this.#targets
    const isFirst = this.#layout === undefined
    try {
      this.#targets = this.#compile(layout)
    } catch (error) {
      if (isFirst || !(error instanceof RefusedError)) throw error
      this.#targets = { reason: `it follows a header that does not fit: ${error.message}` }
    }
    this.#layout = layout
    return this.#targets
  }

  #compile(layout: ColumnLayout): TargetColumns[] {
    return this.#mapping.targets.map((target, index) => {
      const [values, flags] = [layout.targets[index], layout.flags[index]]
      if (values === undefined || flags === undefined)
        throw new RangeError(`the layout has no target ${target.id}`)
      const columns = compileColumns(target, { values, flags }, layout, this.#unitOf)
      return { target, clock: this.#clockOf[index], columns }
    })
  }

  #readValues(
    columns: readonly ReadColumn[],
    fields: Fields,
    batch: RowBatch,
    problems: string[],
  ): RowValues | undefined {
    let values: RowValues['values'] | undefined
    let quality: RowValues['quality']
    for (const column of columns) {
      const cell = readValue(fields, column, this.#mapping)
      if (cell === null) continue
      if (typeof cell === 'object' && 'reason' in cell) {
        problems.push(cell.reason)
        continue
      }
      const { key, toValue } = column
      const number = typeof cell === 'number' ? cell : cell.number
      // A key is data: `__proto__` must become a member like any other.
      values ??= new Members<number>()
      values[key] = toValue === undefined ? number : toValue(number)
      if (typeof cell === 'object') {
        quality ??= new Members<string>()
        quality[key] = cell.quality
      }
      batch.values++
    }
    return values && (quality === undefined ? { values } : { values, quality })
  }
}

/** An object that inherits no members: several times faster than one of `Object.create(null)`. */
class Members<Value> {
  [key: string]: Value
}
Object.setPrototypeOf(Members.prototype, null)
Reflect.deleteProperty(Members.prototype, 'constructor')

function put(batch: RowBatch, target: Target, time: number, row: RowValues, line: Line): void {
  if (target.kind === 'raw') {
    batch.raw.push({ sensor: target.id, time, ...row })
    batch.rawLines.push(line)
  } else {
    batch.theme.push({ station: target.id, time, ...row })
    batch.themeLines.push(line)
  }
}
