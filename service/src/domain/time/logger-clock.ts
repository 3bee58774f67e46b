import type { Zone } from './local-time.ts'
import type { OffsetSpan } from './offset-spans.ts'

/** The hour that a clock repeats when it is set back, and the rows of it so far. */
export type RepeatedHour = {
  /** The instant at which the clock is set back. */
  change: number
  pass: 1 | 2
  /** Whether the order of the rows contradicts itself. */
  isDisordered: boolean
  /** The number of rows, and the line of the first one. */
  rows: number
  line: number
}

/** What a logger's clock has shown so far, in a form that can be stored. */
export type LoggerClockState = {
  /** The local time of the latest row, and how much later it was than the row before. */
  wall: number
  step: number
  hour?: RepeatedHour
}

/** Rows of a repeated hour whose order does not show which pass they mean. */
export type AmbiguousHour = RepeatedHour & {
  zone: string
  /** The first local time of the hour, and the one after it. */
  from: number
  until: number
}

/**
 * Turns the local times of consecutive rows into instants.
 *
 * Within the hour that a zone repeats, a row whose time is before that of the previous row begins the
 * second pass. Rows of one pass only count as the first one, and are reported as ambiguous. A row in
 * an hour that the zone skips is of a clock that is not set forward.
 */
export class LoggerClock {
  readonly #zone: Zone
  readonly #firstPass: 1 | 2
  readonly #ambiguous: AmbiguousHour[] = []
  #span: OffsetSpan | undefined
  #repeat = { from: Infinity, until: Infinity, shift: 0 }
  #wall = NaN
  #step = 0
  #hour: RepeatedHour | undefined
  #instant = NaN
  #isSkipped = false

  constructor(zone: Zone, { state, firstPass = 1 }: LoggerClockOptions = {}) {
    this.#zone = zone
    this.#firstPass = firstPass
    if (state === undefined) return
    this.#wall = state.wall
    this.#step = state.step
    this.#hour = state.hour === undefined ? undefined : { ...state.hour }
  }

  get zone(): string {
    return this.#zone.name
  }

  /** The instant of the latest row. */
  get instant(): number {
    return this.#instant
  }

  /** Whether the zone has no such local time as that of the latest row: clocks were set forward. */
  get isSkipped(): boolean {
    return this.#isSkipped
  }

  /** Whether the latest row is of the second pass of a repeated hour. */
  get isSecondPass(): boolean {
    return this.#hour?.pass === 2
  }

  /** What it needs to continue; undefined before the first row. */
  get state(): LoggerClockState | undefined {
    if (Number.isNaN(this.#wall)) return undefined
    const state = { wall: this.#wall, step: this.#step }
    return this.#hour === undefined ? state : { ...state, hour: { ...this.#hour } }
  }

  /** Reads the local time of the next row, in milliseconds as if it were in UTC. */
  read(wall: number, line: number): void {
    const span = this.#zone.spanAtLocal(wall)
    if (span !== this.#span) {
      this.#span = span
      this.#repeat = findRepeat(this.#zone, span)
    }
    this.#instant = wall - span.offset
    this.#isSkipped = this.#instant >= span.end
    if (wall >= this.#repeat.from) this.#readRepeated(wall, line, span.end)
    else if (this.#hour !== undefined) this.leaveHour()
    this.#step = wall - this.#wall || 0
    this.#wall = wall
  }

  /** Ends the repeated hour of the latest row, if it is in one: no further row of it follows. */
  leaveHour(): void {
    const hour = this.#hour
    this.#hour = undefined
    if (hour === undefined || (hour.pass === 2 && !hour.isDisordered)) return
    const before = this.#zone.spanAt(hour.change - 1).offset
    const after = this.#zone.spanAt(hour.change).offset
    const from = hour.change + after
    this.#ambiguous.push({ ...hour, zone: this.zone, from, until: hour.change + before })
  }

  get hasAmbiguous(): boolean {
    return this.#ambiguous.length > 0
  }

  /** The hours that were left and are ambiguous, each once. */
  takeAmbiguous(): AmbiguousHour[] {
    return this.#ambiguous.splice(0)
  }

  #readRepeated(wall: number, line: number, change: number): void {
    const { until, shift } = this.#repeat
    if (this.#hour?.change !== change) {
      this.leaveHour()
      // Rows that come from behind the hour run backwards.
      const isDisordered = this.#wall >= until
      this.#hour = { change, pass: this.#firstPass, isDisordered, rows: 0, line }
    } else if (this.#isBack(wall, shift) && !this.#hour.isDisordered) {
      if (this.#hour.pass === 1) this.#hour.pass = 2
      else this.#hour.isDisordered = true
    }
    this.#hour.rows++
    if (this.#hour.pass === 2) this.#instant += shift
  }

  /** Rows that are as far apart as the clock is set back show the same time twice. */
  #isBack(wall: number, shift: number): boolean {
    return wall < this.#wall || (wall === this.#wall && this.#step === shift)
  }
}

type LoggerClockOptions = {
  /** Where reading continues. */
  state?: LoggerClockState | undefined
  /** The pass of the first row of a repeated hour. */
  firstPass?: 1 | 2
}

/** The local times at the end of a span that occur twice, and by how much the clock is set back. */
function findRepeat(zone: Zone, { end, offset, localEnd }: OffsetSpan) {
  const after = Number.isFinite(end) ? zone.spanAt(end).offset : offset
  return after < offset
    ? { from: end + after, until: localEnd, shift: offset - after }
    : { from: Infinity, until: Infinity, shift: 0 }
}
