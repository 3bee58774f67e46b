import { isConflict } from '../errors/conflict-error.ts'
import { setTimeout as sleep } from 'node:timers/promises'
import { inSlices } from '../concurrency/in-slices.ts'
import { SerialQueue } from '../concurrency/serial-queue.ts'
import { RefusedError } from '../errors/refused-error.ts'
import { CLOCK_TOLERANCE, horizonOf } from '../domain/time/timeliness.ts'
import type { Catalogue, CatalogueStation } from '../domain/site/catalogue.ts'
import type {
  AlarmChange,
  AlarmWrites,
  DueRecord,
  NewestBounds,
  Storage,
} from '../storage/storage.ts'
import { Draft, type EvaluationRecord } from './record-evaluation.ts'
import type { CompiledEvaluator } from './station-evaluators.ts'
import { AlarmMemory } from './alarm-states.ts'
import { rebuildRuleStates } from './rebuild-states.ts'

export type EngineOptions = {
  storage: Pick<Storage, 'alarms' | 'data'>
  /** A number that no other engine has: it marks what this one writes. */
  writer: number
  now(): number
  /** How far ahead of our clock a record may lie that is not early, in milliseconds. */
  clockTolerance?: number | undefined
}

/** Stores, together with whatever it is given. */
type Store<Result> = (alarms: AlarmWrites) => Promise<Result>

/** What one write does to alarms; `remember` once it is under way. */
type Plan = {
  changes: readonly AlarmChange[]
  bounds: readonly NewestBounds[]
  early?: AlarmWrites['early']
  remember(): void
}

const ATTEMPTS = 50

/** A larger write is evaluated alone, so that others have their turn meanwhile. */
const RECORDS_AT_ONCE = 2_000

const REST_MILLISECONDS = 20

/**
 * Judges records on their way into storage, and changes alarms.
 *
 * Writes are evaluated in the order in which they come, each by what those before it will have stored,
 * and go on their way at once. A write carries what it was computed from: is that no longer so, since
 * another process was faster or an earlier write has failed, nothing of it is stored. Then what was
 * under way is waited for, memory is read again, and writes go one after the other until all is well.
 */
export class AlarmEngine {
  readonly #options: EngineOptions
  readonly #memory: AlarmMemory
  readonly #underWay = new Set<Promise<unknown>>()
  readonly #queue = new SerialQueue()

  constructor(options: EngineOptions) {
    this.#options = options
    this.#memory = new AlarmMemory(options.storage.alarms)
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

  /** Looks everything up again before the next record: stored records were deleted, or came back. */
  forget(): void {
    this.#memory.forget()
  }

  /**
   * Stores records with what they mean for alarms; nobody is told of what is only filled in. Early
   * records are stored and wait; those that are `due` are evaluated now and wait no longer.
   */
  evaluate = <Result>(
    catalogue: Catalogue,
    records: readonly EvaluationRecord[],
    store: Store<Result>,
    { isNotified = true, due = [] }: { isNotified?: boolean; due?: readonly DueRecord[] } = {},
  ): Promise<Result> => {
    const begin = (): Draft =>
      new Draft(catalogue, this.#memory, { isNotified, horizon: this.horizon() })
    const prepare = (): Draft => {
      const draft = begin()
      for (const record of records) draft.add(record)
      return draft
    }
    // Nothing else changes memory then: others may have their turn while a large write is evaluated.
    const prepareInSlices = async (): Promise<Draft> => {
      const draft = begin()
      await inSlices(records, (record) => draft.add(record))
      return draft
    }
    const send = (draft: Draft): Promise<Result> =>
      this.#send(draft, (alarms) => store(due.length === 0 ? alarms : { ...alarms, due }))
    const sendAlone = (): Promise<Result> =>
      this.#persist(async () => {
        let draft = await prepareInSlices()
        while (draft.unknown.size > 0) {
          await this.#learn(draft.unknown)
          draft = await prepareInSlices()
        }
        return send(draft)
      })

    const isLarge = records.length > RECORDS_AT_ONCE
    if (isLarge || this.#queue.length > 0 || this.#memory.at === undefined)
      return this.#queue.run(sendAlone)
    const draft = prepare()
    if (draft.unknown.size > 0) return this.#queue.run(sendAlone)
    return send(draft).catch((error: unknown) => {
      if (isConflict(error, 'alarms')) return this.#queue.run(sendAlone)
      throw error
    })
  }

  /**
   * Changes alarms beside the records: by what `plan` makes of them as they stand, also where that
   * is nothing. A plan that finds them behind storage throws a `ConflictError`, and is asked again.
   */
  change<Result>(
    plan: (memory: AlarmMemory) => Promise<{
      changes: readonly AlarmChange[]
      /** Between what the newest records must lie for the changes to hold. */
      bounds?: readonly NewestBounds[]
      result: Result
    }>,
  ): Promise<Result> {
    return this.#queue.run(() =>
      this.#persist(async () => {
        const { changes, bounds = [], result } = await plan(this.#memory)
        const remember = (): void => {
          for (const { alarm, state } of changes)
            this.#memory.setState(this.#memory.of(alarm.source.id), alarm.alarmTypeCode, state)
        }
        await this.#send({ changes, bounds, remember }, (alarms) =>
          this.#options.storage.alarms.write(alarms),
        )
        return result
      }),
    )
  }

  /** Reads alarms as they stand in storage, and writes nothing. */
  look<Result>(read: (memory: AlarmMemory) => Promise<Result>): Promise<Result> {
    return this.#queue.run(async () => {
      await Promise.allSettled(this.#underWay)
      const memory = new AlarmMemory(this.#options.storage.alarms)
      await memory.read()
      return read(memory)
    })
  }

  /** Alone, with memory read anew where it is wrong, until nobody else is faster. */
  async #persist<Result>(attempt: () => Promise<Result>): Promise<Result> {
    for (let count = 1; ; count++) {
      await Promise.allSettled(this.#underWay)
      if (this.#memory.at === undefined) await this.#memory.read()
      try {
        return await attempt()
      } catch (error) {
        if (!isConflict(error, 'alarms')) throw error
        this.#memory.forget()
        if (count === ATTEMPTS)
          throw new RefusedError('unavailable', 'Others change alarms all the time; try again.', {
            retryAfterSeconds: 1,
          })
        if (count > 3) await sleep(REST_MILLISECONDS)
      }
    }
  }

  async #send<Result>(plan: Plan, store: Store<Result>): Promise<Result> {
    const { writer, now } = this.#options
    const at = this.#memory.at!
    const { changes, bounds, early = [] } = plan
    plan.remember()
    if (changes.length > 0) this.#memory.advance({ version: at.version + 1, writer })
    const sent = store({ at, bounds, changes, early, writer, now: now() })
    this.#underWay.add(sent)
    try {
      return await sent
    } catch (error) {
      this.#memory.forget()
      throw error
    } finally {
      this.#underWay.delete(sent)
    }
  }

  /** Looks up the newest record of stations, and lets rules see the last records again. */
  async #learn(unknown: ReadonlyMap<CatalogueStation, CompiledEvaluator>): Promise<void> {
    const { data } = this.#options.storage
    const horizon = this.horizon()
    const stations = Array.from(unknown.keys())
    const newest = await data.findNewest(
      'theme',
      stations.map(({ entry }) => entry.id),
      horizon,
    )
    for (const [at, station] of stations.entries()) {
      const source = this.#memory.of(String(station.entry.id))
      const { evaluator, lookback } = unknown.get(station)!
      const time = newest[at] ?? null
      if (lookback > 0)
        source.ruleStates = await rebuildRuleStates({ data, station, evaluator, lookback, time })
      source.newest = time
    }
  }
}
