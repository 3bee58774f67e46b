import type { Catalogue } from '../domain/site/catalogue.ts'
import { CLOCK_TOLERANCE, horizonOf } from '../domain/time/timeliness.ts'
import type {
  AlarmChange,
  AlarmUpdate,
  DueRecord,
  NewestBounds,
  Storage,
} from '../storage/storage.ts'
import { AlarmStates } from './alarm-states.ts'
import { rebuildRuleStates } from './rebuild-rules.ts'
import { RecordEvaluation } from './record-evaluation.ts'
import { StationEvaluators } from './station-evaluators.ts'

export type EvaluatorOptions = {
  storage: Pick<Storage, 'alarms' | 'records'>
  /** A number that no other evaluator has: it marks what this one writes. */
  writer: number
  now(): number
  /** How far ahead of the clock a record may lie that is not early, in milliseconds. */
  clockTolerance?: number | undefined
}

/** Changes of alarms, and the ranges of the newest records in which they hold. */
export type PlannedChanges = {
  changes: readonly AlarmChange[]
  bounds?: readonly NewestBounds[]
  early?: AlarmUpdate['early']
}

/**
 * Evaluates records against thresholds and rules, and returns the alarm changes as data.
 *
 * It stores nothing: `advance` gives what a write has to carry, and takes over what the write will
 * have changed. A write that fails is followed by `invalidate`.
 */
export class AlarmEvaluator {
  readonly states: AlarmStates
  readonly #options: EvaluatorOptions
  #evaluators: StationEvaluators | undefined

  constructor(options: EvaluatorOptions) {
    this.#options = options
    this.states = new AlarmStates(options.storage.alarms)
  }

  /** The instant by which alarms go. */
  now(): number {
    return this.#options.now()
  }

  /** The last instant at which a record is not early, as the clock stands. */
  horizon(): number {
    const { now, clockTolerance = CLOCK_TOLERANCE } = this.#options
    return horizonOf(now(), clockTolerance)
  }

  /** Begins the evaluation of the records of one write. */
  begin(catalogue: Catalogue, { isNotified }: { isNotified: boolean }): RecordEvaluation {
    if (this.#evaluators?.catalogue !== catalogue)
      this.#evaluators = new StationEvaluators(catalogue)
    return new RecordEvaluation(this.#evaluators, this.states, {
      isNotified,
      horizon: this.horizon(),
    })
  }

  /** Looks up the newest records of the unknown stations, and rebuilds the states of their rules. */
  async lookUp({ unknown }: Pick<RecordEvaluation, 'unknown'>): Promise<void> {
    const { records } = this.#options.storage
    const stations = Array.from(unknown.keys(), ({ entry }) => entry.id)
    const newest = await records.findNewest('theme', stations, this.horizon())
    let at = 0
    for (const [station, { evaluator, lookback }] of unknown) {
      const state = this.states.of(String(station.entry.id))
      const time = newest[at++] ?? null
      if (lookback > 0)
        state.ruleStates = await rebuildRuleStates({
          data: records,
          station,
          evaluator,
          lookback,
          time,
        })
      state.newest = time
    }
  }

  /** The alarm part of a write that makes these changes; the states become what the write leaves. */
  advance(
    { changes, bounds = [], early = [] }: PlannedChanges,
    due?: readonly DueRecord[],
  ): AlarmUpdate {
    const { writer, now } = this.#options
    const at = this.states.version
    if (at === undefined) throw new Error('alarm states have to be read before a write')
    this.states.advance(changes, writer)
    return { at, bounds, changes, early, writer, now: now(), ...(due === undefined ? {} : { due }) }
  }

  /** Reads the states from storage, apart from those that writes are computed from. */
  async readStates(): Promise<AlarmStates> {
    const states = new AlarmStates(this.#options.storage.alarms)
    await states.read()
    return states
  }
}
