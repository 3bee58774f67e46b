import { isMoreSevere, type RaiseSettings, type Severity } from './alarm-settings.ts'

/** A level that a record reaches, the most severe one of an item; `null` for none. */
export type ReachedLevel = number | null

/**
 * Holds levels back until records have reached them often or long enough. Its state is small plain
 * JSON, `null` before the first record. The same record again has the same result and changes
 * nothing; a late record is not counted and has no level.
 */
export type OnDelay<State = unknown> = Readonly<{
  evaluate(
    state: State | null,
    record: { time: number; level: ReachedLevel },
  ): { state: State | null; held: ReachedLevel }
}>

/** Compiles the on-delay of a threshold batch. */
export function compileOnDelay(settings: RaiseSettings, severity: Severity): OnDelay {
  return 'minutes' in settings
    ? compileTime(settings.minutes, severity)
    : compileCount(settings, severity)
}

/** The newest instant, and the levels of the newest records, the last one being that of this instant. */
type CountState = Readonly<{ time: number; levels: readonly ReachedLevel[] }>

/** The most severe level that `records` of the newest `of` records have reached, or a worse one. */
function compileCount(
  { records, of }: { records: number; of: number },
  severity: Severity,
): OnDelay<CountState> {
  return {
    evaluate(state, { time, level }) {
      if (state !== null && time < state.time) return { state, held: null }
      const earlier = state === null ? [] : state.levels.slice(0, time === state.time ? -1 : of)
      const levels = [...earlier, level].slice(-of)
      const worstFirst = levels
        .filter((one) => one !== null)
        .toSorted((a, b) => (isMoreSevere(a, b, severity) ? -1 : 1))
      const isSame = time === state?.time && state.levels.at(-1) === level
      return { state: isSame ? state : { time, levels }, held: worstFirst[records - 1] ?? null }
    },
  }
}

/** Since when every record has reached a level, or a worse one. */
type Run = Readonly<{ level: number; since: number }>

/** The newest instant with its level, and the runs of the records before it, the mildest first. */
type TimeState = Readonly<{ time: number; level: ReachedLevel; before: readonly Run[] }>

/** The most severe level that all records have reached for some minutes, or a worse one. */
function compileTime(minutes: number, severity: Severity): OnDelay<TimeState> {
  const duration = minutes * 60_000
  return {
    evaluate(state, { time, level }) {
      if (state !== null && time < state.time) return { state, held: null }
      const before =
        state === null
          ? []
          : time === state.time
            ? state.before
            : extend(state.before, state.time, state.level)
      const long = extend(before, time, level).filter(({ since }) => time - since >= duration)
      const isSame = time === state?.time && state.level === level
      return { state: isSame ? state : { time, level, before }, held: long.at(-1)?.level ?? null }
    },
  }

  function extend(runs: readonly Run[], time: number, level: ReachedLevel): readonly Run[] {
    if (level === null) return []
    const milder = runs.filter((run) => !isMoreSevere(run.level, level, severity))
    if (milder.some((run) => run.level === level)) return milder
    // Whoever reaches a worse level reaches this one as well.
    const worse = runs.filter((run) => isMoreSevere(run.level, level, severity))
    return [...milder, { level, since: Math.min(time, ...worse.map(({ since }) => since)) }]
  }
}
