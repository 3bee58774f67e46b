import type { SpikeSettings } from '../alarm-settings.ts'
import { qualityOf } from './rule-quality.ts'
import { reaches } from './reaches.ts'
import type { Rule } from './rule.ts'

/** The newest values as they came, spikes included, and the instant of the last one. */
type SpikeState = Readonly<{ time: number; values: readonly number[] }>

/**
 * Compiles the rule of a value that is far from the median of the newest values, itself included: a
 * causal median filter, the Hampel identifier with a fixed bound (Pearson, IEEE Trans. Control
 * Syst. Technol. 10(1), 2002).
 *
 * Since the values are kept as they came, the values after a lasting step are spikes only until more
 * than half of the kept ones lie beyond it.
 */
export function compileSpike({ deviation, records, quality }: SpikeSettings): Rule<SpikeState> {
  const spike = qualityOf('spike', quality)
  return {
    alarm: null,
    evaluate(state, { time, value }) {
      if (state !== null && time < state.time) return { state, outcome: undefined }
      const next = follow(state, time, value)
      const isSpike = next.values.length === records && isFar(value, medianOf(next.values))
      return { state: next, outcome: undefined, quality: isSpike ? spike : undefined }
    },
  }

  function follow(state: SpikeState | null, time: number, value: number): SpikeState {
    if (state === null) return { time, values: [value] }
    const isSameTime = time === state.time
    if (isSameTime && value === state.values.at(-1)) return state
    const earlier = isSameTime ? state.values.slice(0, -1) : state.values
    return { time, values: [...earlier, value].slice(-records) }
  }

  function isFar(value: number, median: number): boolean {
    const scale = Math.max(Math.abs(value), Math.abs(median))
    return !reaches(deviation, Math.abs(value - median), scale)
  }
}

/** The value in the middle of an odd number of values. */
function medianOf(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[values.length >> 1] ?? 0
}
