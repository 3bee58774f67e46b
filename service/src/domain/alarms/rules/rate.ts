import { formatValue } from '../alarm-content.ts'
import type { RateSettings, Severity } from '../alarm-settings.ts'
import { DAY_MS } from '../../time/wall-clock.ts'
import { countedChange, formatChange } from './change.ts'
import { reaches } from './reaches.ts'
import { mostSevereReached, type Rule } from './rule.ts'

/** Some earlier values, ascending, and the newest one. */
type RateState = Readonly<{
  points: readonly (readonly [time: number, value: number])[]
  time: number
  value: number
}>

/**
 * The number of earlier values that are kept of the time over which a change is measured. A reference
 * value may be younger than that by one step.
 */
const STEPS = 24

const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS

type Settings = Omit<RateSettings, 'days'>

/**
 * Compiles the rule of a change per hour or per day, against the newest value that is an hour or a day
 * old, or as old as `overMinutes` says; with `consecutive` against the value before.
 *
 * After a gap it is the mean rate. After too long a gap, and at the start, there is no outcome until
 * a value is old enough.
 */
export function compileRate(settings: Settings, unit: string, severity: Severity): Rule<RateState> {
  const { per, longestGap, levels, direction } = settings
  const perMs = per === 'hour' ? HOUR_MS : DAY_MS
  const base = baseOf(settings, perMs)
  const shown = (amount: number) =>
    `${formatChange(amount, direction)}${unit}/${per === 'hour' ? 'h' : 'd'}`
  return {
    alarm: 'rate',
    evaluate(state, { time, value }) {
      if (state !== null && time < state.time) return { state, outcome: undefined }
      const points = pointsBefore(state, time, base, longestGap * perMs)
      const next: RateState =
        state !== null && time === state.time && value === state.value
          ? state
          : { points, time, value }
      const reference = points[0]
      if (reference === undefined || time - reference[0] < base - base / STEPS) {
        return { state: next, outcome: undefined }
      }
      const scaling = perMs / (time - reference[0])
      const rate = countedChange(value - reference[1], direction) * scaling
      const size = Math.max(Math.abs(value), Math.abs(reference[1])) * scaling
      const reached = mostSevereReached(levels, ({ limit }) => reaches(rate, limit, size), severity)
      if (reached === undefined) return { state: next, outcome: 'normal' }
      const limit = `rate ${shown(Number(rate.toPrecision(4)))}${describeBase(settings)}, limit ${shown(reached.limit)}`
      return { state: next, outcome: { level: reached.level, limit } }
    },
  }
}

/** The time over which a change is measured; 0 for that since the value before. */
function baseOf({ overMinutes, consecutive }: Settings, perMs: number): number {
  if (consecutive === true) return 0
  return overMinutes === undefined ? perMs : overMinutes * MINUTE_MS
}

function describeBase({ overMinutes, consecutive }: Settings): string {
  if (consecutive === true) return ' between records'
  return overMinutes === undefined ? '' : ` over ${formatValue(overMinutes)} min`
}

/**
 * The points that can be references of a value at `time`, with the newest value if it is older. All
 * times are in milliseconds.
 */
function pointsBefore(
  state: RateState | null,
  time: number,
  base: number,
  longestGap: number,
): RateState['points'] {
  if (state === null) return []
  const { points } = state
  const last = points.at(-1)
  const isNewPoint =
    state.time < time && (last === undefined || state.time - last[0] >= base / STEPS)
  const all = isNewPoint ? [...points, [state.time, state.value] as const] : points

  const oldEnough = time - base + base / STEPS
  let first = 0
  for (; first + 1 < all.length; first++) {
    const next = all[first + 1]
    if (next === undefined || next[0] > oldEnough) break
  }
  const oldest = all[first]
  if (oldest !== undefined && time - oldest[0] > longestGap) first++
  return first === 0 ? all : all.slice(first)
}
