import { randomInt } from 'node:crypto'
import type { AlarmCommits, AlarmPlan, EarlyRow } from '../alarms/alarm-commits.ts'
import {
  AlarmEvaluator,
  type EvaluatorOptions,
  type PlannedChanges,
} from '../alarms/alarm-evaluator.ts'
import type { AlarmStates } from '../alarms/alarm-states.ts'
import type { RecordEvaluation, EvaluationRecord } from '../alarms/record-evaluation.ts'
import { inSlices, mapInSlices } from '../concurrency/in-slices.ts'
import { KeyedQueue } from '../concurrency/keyed-queue.ts'
import { retryOnConflict } from '../concurrency/retry.ts'
import { valuesOf } from '../domain/records/record-values.ts'
import type { Catalogue } from '../domain/site/catalogue.ts'
import { isConflict } from '../errors/conflict-error.ts'
import type {
  AlarmUpdate,
  DueRecord,
  ReplacedCounts,
  Storage,
  RecordWriteOptions,
} from '../storage/storage.ts'
import { evaluatedValues } from '../domain/quality/qualified-values.ts'
import { alarmSettings } from '../alarms/station-evaluators.ts'
import { completeStored, toPlacedWrite, type RuleVerdicts } from './complete-rows.ts'
import type { KnownPlaces } from './known-places.ts'
import type { RecordCommits } from './record-commits.ts'
import { completeWaveforms, toWaveformWrites } from './waveform-writes.ts'
import { describeStations, RecordWrites, type JudgedWrite } from './record-writes.ts'
import type { NewRecord } from './rows.ts'
import type { UnitOfWork, WaveformUnit } from './unit-of-work.ts'

type CommitsOptions = {
  storage: Pick<Storage, 'records' | 'waveforms' | 'alarms'>
  evaluator: AlarmEvaluator
  /** Whether alarms are notified; default: true. Alarms of a change never are. */
  isNotified?: boolean
}

type OpenCommitsOptions = Pick<CommitsOptions, 'storage' | 'isNotified'> &
  Omit<EvaluatorOptions, 'writer'> & { writer?: number }

/** The station records of one write, and the write itself, which takes their alarm changes. */
type EvaluatedWrite<Result> = {
  catalogue: Catalogue
  records: readonly EvaluationRecord[]
  isNotified: boolean
  due?: readonly DueRecord[]
  write(alarms: AlarmUpdate, verdicts: RuleVerdicts): Promise<Result>
}

/** A write that has not ended, and the versions of the sources that it was computed from. */
type WriteUnderWay = Pick<AlarmUpdate, 'at'> & { ended: Promise<unknown> }

/** More records than this are evaluated alone, in slices between which other work runs. */
const RECORDS_AT_ONCE = 2_000

/**
 * Evaluates units of work and commits them together with the alarm changes that they cause.
 *
 * Writes are evaluated in the order in which they come, each by the states that those before it will
 * leave, and are sent at once. Each carries the versions of the sources whose states it was computed
 * from; where another writer has changed one of these, it is rejected. A write of which a state is not
 * known, or that was rejected, goes alone: the writes under way that share a source with it end, unknown
 * states are read, and until it succeeds every later write that shares a source waits for its turn.
 * Writes of other sources go on meanwhile.
 *
 * So a state is read only while no write of its source is under way, and a version that was given to a
 * rejected write is given again only after all writes that were computed from it have been rejected too.
 */
export class Commits implements RecordCommits, AlarmCommits {
  readonly #storage: CommitsOptions['storage']
  readonly #writes: RecordWrites
  readonly #evaluator: AlarmEvaluator
  readonly #isNotified: boolean
  readonly #underWay = new Set<WriteUnderWay>()
  /** The writes that go alone, by their sources. */
  readonly #alone = new KeyedQueue<string>()

  constructor({ storage, evaluator, isNotified = true }: CommitsOptions) {
    this.#storage = storage
    this.#evaluator = evaluator
    this.#isNotified = isNotified
    this.#writes = new RecordWrites(storage.records, (work) => this.#judge(work))
  }

  /** The commits of one process, with their own evaluator. */
  static open({ isNotified, ...options }: OpenCommitsOptions): Commits {
    const evaluator = new AlarmEvaluator({ writer: randomInt(2 ** 47), ...options })
    return new Commits({
      storage: options.storage,
      evaluator,
      ...(isNotified === undefined ? {} : { isNotified }),
    })
  }

  /** The current instant of alarms. */
  now(): number {
    return this.#evaluator.now()
  }

  horizon(): number {
    return this.#evaluator.horizon()
  }

  get places(): KnownPlaces {
    return this.#writes.places
  }

  records(catalogue: Catalogue, unit: UnitOfWork): Promise<ReplacedCounts> {
    return this.#writes.write(catalogue, unit)
  }

  async #judge<Result>(work: JudgedWrite<Result>): Promise<Result> {
    const { catalogue, records, isNotified, write } = work
    return this.#commit({
      catalogue,
      records: await toEvaluationRecords(catalogue, records),
      isNotified: this.#isNotified && isNotified,
      write,
    })
  }

  async waveforms(
    catalogue: Catalogue,
    units: readonly WaveformUnit[],
    options: Pick<RecordWriteOptions, 'change'>,
  ): Promise<void> {
    const { waveforms } = this.#storage
    const { rows, steps } = await completeWaveforms(this.places, catalogue, units)
    if (rows.length === 0) return waveforms.write(toWaveformWrites(units, rows), options)
    return this.#commit({
      catalogue,
      records: await toEvaluationRecords(catalogue, steps),
      isNotified: this.#isNotified && options.change === undefined,
      write: (alarms, verdicts) =>
        waveforms.write(toWaveformWrites(units, rows, verdicts), { ...options, alarms }),
    })
  }

  async due(
    catalogue: Catalogue,
    early: readonly EarlyRow[],
    due: readonly DueRecord[],
  ): Promise<void> {
    const stored = await this.places.look('theme', early)
    const rows = completeStored(early, stored, describeStations(catalogue))
    const given = rows.map(({ source, time, qualified }) => ({
      source,
      time,
      record: '',
      ...qualified,
    }))
    const records = await toEvaluationRecords(catalogue, given)
    await this.#commit({
      catalogue,
      records: records.map((record, at) => ({
        ...record,
        isNotified: early[at]?.isNotified === true,
      })),
      isNotified: true,
      due,
      write: (alarms, verdicts) => {
        const judged = rows.filter(({ step }) => verdicts.has(step))
        return this.#writes.send({}, toPlacedWrite(judged, verdicts), alarms)
      },
    })
  }

  change<Result>(
    sources: Iterable<string>,
    plan: (states: AlarmStates) => Promise<AlarmPlan<Result>>,
  ): Promise<Result> {
    const own = new Set(sources)
    return this.#runAlone(own, async () => {
      const { result, ...planned } = await plan(this.#evaluator.states)
      const write = (alarms: AlarmUpdate) => this.#storage.alarms.write(alarms)
      await this.#send({ ...planned, sources: own }, undefined, write)
      return result
    })
  }

  read(sources: Iterable<string>): Promise<AlarmStates> {
    return this.#evaluator.readStates(sources)
  }

  /** Sends a write at once if its records can be evaluated at once; otherwise it is committed alone. */
  #commit<Result>(work: EvaluatedWrite<Result>): Promise<Result> {
    const { records } = work
    if (records.length > RECORDS_AT_ONCE) return this.#commitAlone(work)
    const evaluation = this.#begin(work)
    for (const record of records) evaluation.add(record)
    const isAlone = evaluation.unknown.size > 0 || this.#alone.isBusy(evaluation.sources)
    if (isAlone) return this.#commitAlone(work)
    return this.#sendEvaluation(evaluation, work).catch((error: unknown) => {
      if (isConflict(error, 'alarms')) return this.#commitAlone(work)
      throw error
    })
  }

  #commitAlone<Result>(work: EvaluatedWrite<Result>): Promise<Result> {
    return this.#runAlone(sourcesOf(work.records), async () => {
      let evaluation = await this.#evaluateInSlices(work)
      while (evaluation.unknown.size > 0) {
        await this.#evaluator.lookUp(evaluation)
        evaluation = await this.#evaluateInSlices(work)
      }
      return this.#sendEvaluation(evaluation, work)
    })
  }

  /**
   * Works while no other write of these sources is evaluated or under way, and their states are known;
   * again after each conflict about alarms.
   */
  #runAlone<Result>(sources: ReadonlySet<string>, work: () => Promise<Result>): Promise<Result> {
    const { states } = this.#evaluator
    return this.#alone.run(sources, () =>
      retryOnConflict({ reasons: ['alarms'], what: 'alarms' }, async () => {
        await this.#endOf(sources)
        await states.read(sources)
        try {
          return await work()
        } catch (error) {
          if (isConflict(error, 'alarms')) states.invalidate(sources)
          throw error
        }
      }),
    )
  }

  /** Resolves when the writes of these sources that are under way now have ended. */
  async #endOf(sources: ReadonlySet<string>): Promise<void> {
    const shared = this.#underWay.values().filter(({ at }) => !sources.isDisjointFrom(at))
    await Promise.allSettled(shared.map(({ ended }) => ended))
  }

  #begin({ catalogue, isNotified }: Pick<EvaluatedWrite<unknown>, 'catalogue' | 'isNotified'>) {
    return this.#evaluator.begin(catalogue, { isNotified })
  }

  /** Called alone, so that nothing changes the states between two slices. */
  async #evaluateInSlices(work: EvaluatedWrite<unknown>): Promise<RecordEvaluation> {
    const evaluation = this.#begin(work)
    await inSlices(work.records, (record) => evaluation.add(record))
    return evaluation
  }

  #sendEvaluation<Result>(
    evaluation: RecordEvaluation,
    { due, write }: EvaluatedWrite<Result>,
  ): Promise<Result> {
    evaluation.takeOver()
    return this.#send(evaluation, due, (alarms) => write(alarms, evaluation.verdicts))
  }

  async #send<Result>(
    planned: PlannedChanges,
    due: readonly DueRecord[] | undefined,
    write: (alarms: AlarmUpdate) => Promise<Result>,
  ): Promise<Result> {
    const alarms = this.#evaluator.advance(planned, due)
    const sent = write(alarms)
    const underWay = { at: alarms.at, ended: sent }
    this.#underWay.add(underWay)
    try {
      return await sent
    } catch (error) {
      this.#evaluator.states.invalidate(alarms.at.keys())
      throw error
    } finally {
      this.#underWay.delete(underWay)
    }
  }
}

/** The stations of records, as sources of alarms. */
function sourcesOf(records: readonly EvaluationRecord[]): ReadonlySet<string> {
  const stations = new Set(records.map(({ station }) => station.entry.id))
  return new Set(stations.values().map(String))
}

/** The records with the values that are evaluated, each at the index of its row. */
async function toEvaluationRecords(
  catalogue: Catalogue,
  rows: readonly NewRecord[],
): Promise<EvaluationRecord[]> {
  return mapInSlices(rows, ({ source, time, record, values, marks }) => {
    const station = catalogue.stations.get(source)
    if (station === undefined) throw new Error(`station ${source} is not in the catalogue`)
    const measured = values ?? valuesOf(record, station.itemIndex)
    if (marks === undefined) return { station, time, values: measured }
    const { evaluateUncertain } = alarmSettings(station.structure)
    const evaluated = evaluatedValues({ values: measured, marks }, { evaluateUncertain })
    return { station, time, values: evaluated }
  })
}
