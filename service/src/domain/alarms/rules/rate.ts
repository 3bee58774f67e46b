import { formatValue } from '../alarm-content.ts'
import type { RateSettings, Severity } from '../alarm-settings.ts'
import { DAY_MS } from '../../time/wall-clock.ts'
import { reaches } from './reaches.ts'
import { mostSevereReached, type Rule } from './rule.ts'

/** Some earlier values, ascending, and the newest one. */
type RateState = Readonly<{
  points: readonly (readonly [time: number, value: number])[]
  time: number
  value: number
}>

/**
 * The number of earlier values that are kept of an hour or a day. A reference value may be younger
 * than that by one step.
 */
const STEPS = 24

const HOUR_MS = 3_600_000

/**
 * Compiles the rule of a change per hour or per day, up or down, against the newest value that is
 * an hour or a day old.
 *
 * After a gap it is the mean rate. After too long a gap, and at the start, there is no outcome until
 * a value is old enough.
 */
export function compileRate(
  { per, longestGap, levels }: Omit<RateSettings, 'days'>,
  unit: string,
  severity: Severity,
): Rule<RateState> {
  const width = per === 'hour' ? HOUR_MS : DAY_MS
  const perUnit = `${unit}/${per === 'hour' ? 'h' : 'd'}`
  return {
    alarm: 'rate',
    evaluate(state, { time, value }) {
      if (state !== null && time < state.time) return { state, outcome: undefined }
      const points = pointsBefore(state, time, width, longestGap)
      const next: RateState =
        state !== null && time === state.time && value === state.value
          ? state
          : { points, time, value }
      const reference = points[0]
      if (reference === undefined || time - reference[0] < width - width / STEPS) {
        return { state: next, outcome: undefined }
      }
      const scaling = width / (time - reference[0])
      const rate = Math.abs(value - reference[1]) * scaling
      const size = Math.max(Math.abs(value), Math.abs(reference[1])) * scaling
      const reached = mostSevereReached(levels, ({ limit }) => reaches(rate, limit, size), severity)
      if (reached === undefined) return { state: next, outcome: 'normal' }
      const limit = `rate ${formatValue(Number(rate.toPrecision(4)))}${perUnit}, limit ${formatValue(reached.limit)}${perUnit}`
      return { state: next, outcome: { level: reached.level, limit } }
    },
  }
}

/** The points that can be references of a value at `time`, with the newest value if it is older. */
function pointsBefore(
  state: RateState | null,
  time: number,
  width: number,
  longestGap: number,
): RateState['points'] {
  if (state === null) return []
  const { points } = state
  const last = points.at(-1)
  const isNewPoint =
    state.time < time && (last === undefined || state.time - last[0] >= width / STEPS)
  const all = isNewPoint ? [...points, [state.time, state.value] as const] : points

  const oldEnough = time - width + width / STEPS
  let first = 0
  for (; first + 1 < all.length; first++) {
    const next = all[first + 1]
    if (next === undefined || next[0] > oldEnough) break
  }
  const oldest = all[first]
  if (oldest !== undefined && time - oldest[0] > longestGap * width) first++
  return first === 0 ? all : all.slice(first)
}
