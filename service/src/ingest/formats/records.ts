import type { Zone } from '../../domain/time/local-time.ts'
import {
  LoggerClock,
  type AmbiguousHour,
  type LoggerClockState,
} from '../../domain/time/logger-clock.ts'
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
  /** The line numbers of rows in the second pass of an hour that their zone repeats. */
  secondPass: Set<number>
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
  ambiguous: [],
  headers,
})

/** The zone of the structure of a target; undefined where the site has no such target. */
export type ZoneOf = (target: Target) => Zone | undefined

/** The clocks of a file's rows, one for each zone of its targets. */
export type ClockStates = (LoggerClockState & { zone: string })[]

export type RecordReaderOptions = {
  /** Where reading continues. */
  clocks?: ClockStates | undefined
  /** Whether a row in a repeated hour is of the second pass, without another row before it. */
  isSecondPass?: boolean | undefined
}

type TargetClock = { target: Target; clock: LoggerClock | undefined }

/** Turns rows into records, one for each sensor and station of the mapping. */
export class RecordReader {
  readonly #mapping: Mapping
  readonly #readTime: ReturnType<typeof wallReader>
  readonly #targets: readonly TargetClock[]
  readonly #clocks: readonly LoggerClock[]
  readonly #recent = new RecentTimes()

  constructor(
    mapping: Mapping,
    zoneOf: ZoneOf,
    { clocks = [], isSecondPass = false }: RecordReaderOptions = {},
  ) {
    this.#mapping = mapping
    this.#readTime = wallReader(mapping.time)
    const byZone = new Map<string, LoggerClock>()
    const openClock = (zone: Zone): LoggerClock => {
      const state = clocks.find((one) => one.zone === zone.name)
      return new LoggerClock(zone, { state, firstPass: isSecondPass ? 2 : 1 })
    }
    this.#targets = mapping.targets.map((target) => {
      const zone = mapping.zone ?? zoneOf(target)
      const clock =
        zone === undefined
          ? undefined
          : byZone.getOrInsertComputed(zone.name, () => openClock(zone))
      return { target, clock }
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

  /** Adds the records of a row to a batch, or rejects it. */
  read({ fields, layout }: SplitRow, line: Line, batch: RowBatch): void {
    batch.rows++
    const time = this.#readTime(fields, layout.time)
    if ('reason' in time) return void batch.rejected.push({ line, reason: time.reason })
    if (time.isWall) this.#readClocks(time.milliseconds, line, batch)
    const [first] = time.isWall ? this.#clocks : []
    if (this.#recent.hasSeen(first?.instant ?? time.milliseconds)) {
      batch.doubled.push(line.number)
      if (this.#mapping.duplicates === 'refuse')
        return void batch.rejected.push({ line, reason: 'an earlier row has the same time' })
    }

    const before = batch.values
    const problems: string[] = []
    const targets: Target['id'][] = []
    let index = 0
    for (const { target, clock } of this.#targets) {
      const places = layout.targets[index++]
      if (places === undefined) throw new RangeError(`the layout has no target ${target.id}`)
      const count = problems.length
      const values = this.#readValues(target, fields, places, batch, problems)
      if (problems.length > count) targets.push(target.id)
      if (values === undefined) continue
      const instant = time.isWall && clock !== undefined ? clock.instant : time.milliseconds
      put(batch, target, instant, values, line)
    }
    // The other values of the row are stored.
    if (problems.length > 0) batch.rejected.push({ line, reason: problems.join('; '), targets })
    else if (batch.values === before) batch.withoutValue++
  }

  #readClocks(wall: number, line: Line, batch: RowBatch): void {
    for (const clock of this.#clocks) {
      clock.read(wall, line.number)
      if (clock.isSecondPass) batch.secondPass.add(line.number)
      if (clock.hasAmbiguous) batch.ambiguous.push(...clock.takeAmbiguous())
    }
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
