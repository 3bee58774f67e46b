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
  /** A number that no other evaluator has, stored with its writes. */
  writer: number
  now(): number
  /** How far ahead of the clock a record is not early, in milliseconds. */
  clockTolerance?: number | undefined
}

/**
 * Changes of alarms, the sources whose states they were computed from, and the ranges of the newest
 * records for which they are valid.
 */
export type PlannedChanges = {
  sources: Iterable<string>
  changes: readonly AlarmChange[]
  bounds?: readonly NewestBounds[]
  early?: AlarmUpdate['early']
}

/**
 * Evaluates records against thresholds and rules, and returns the alarm changes as data.
 *
 * It stores nothing: `advance` returns the alarm part of a write, and sets the states to those after
 * the write. The caller invalidates the states of its sources when the write fails.
 */
export class AlarmEvaluator {
  readonly states: AlarmStates
  readonly #options: EvaluatorOptions
  #evaluators: StationEvaluators | undefined

  constructor(options: EvaluatorOptions) {
    this.#options = options
    this.states = new AlarmStates(options.storage.alarms)
  }

  /** The current instant of alarms. */
  now(): number {
    return this.#options.now()
  }

  /** The last instant at which a record is not early now. */
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
    for (const [station, compiled] of unknown) {
      const state = this.states.of(String(station.entry.id))
      const time = newest[at++] ?? null
      if (compiled.lookback > 0)
        state.ruleStates = await rebuildRuleStates({ data: records, station, compiled, time })
      state.newest = time
    }
  }

  /** The alarm part of a write with these changes; sets the states to those after the write. */
  advance(
    { sources, changes, bounds = [], early = [] }: PlannedChanges,
    due?: readonly DueRecord[],
  ): AlarmUpdate {
    const { writer, now } = this.#options
    const at = this.states.versionsOf(sources)
    this.states.advance(changes, { at, writer })
    return { at, bounds, changes, early, writer, now: now(), ...(due === undefined ? {} : { due }) }
  }

  /** Reads the states of sources from storage; those that writes are computed from do not change. */
  async readStates(sources: Iterable<string>): Promise<AlarmStates> {
    const states = new AlarmStates(this.#options.storage.alarms)
    await states.read(sources)
    return states
  }
}
