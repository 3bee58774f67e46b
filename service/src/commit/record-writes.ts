import { retryOnConflict } from '../concurrency/retry.ts'
import type { Catalogue } from '../domain/site/catalogue.ts'
import { isConflict } from '../errors/conflict-error.ts'
import type {
  AlarmUpdate,
  RecordKeys,
  RecordKind,
  RecordStore,
  ReplacedCounts,
} from '../storage/storage.ts'
import {
  completeNew,
  completeRows,
  NO_VERDICTS,
  toPlacedWrite,
  toPlacedWriteInSlices,
  type PlacedWrite,
  type Recorded,
  type RuleVerdicts,
} from './complete-rows.ts'
import { KnownPlaces } from './known-places.ts'
import { toColumnsInSlices, type NewRecord } from './rows.ts'
import type { UnitOfWork } from './unit-of-work.ts'

/** Station records of one write, and the write itself, which takes what their evaluation comes to. */
export type JudgedWrite<Result> = {
  catalogue: Catalogue
  records: readonly NewRecord[]
  isNotified: boolean
  write(alarms: AlarmUpdate | undefined, verdicts: RuleVerdicts): Promise<Result>
}

/** Evaluates station records, then calls the write; again after a conflict about alarms. */
export type Judge = <Result>(work: JudgedWrite<Result>) => Promise<Result>

const judgeNothing: Judge = ({ write }) => write(undefined, NO_VERDICTS)

/**
 * Writes units of work. A station record that meets a stored one is merged with it and evaluated as it
 * will be stored. Where something else is stored at its place by then, all of this is done again.
 */
export class RecordWrites {
  readonly places: KnownPlaces
  readonly #records: RecordStore
  readonly #judge: Judge

  constructor(records: RecordStore, judge: Judge = judgeNothing) {
    this.places = new KnownPlaces(records)
    this.#records = records
    this.#judge = judge
  }

  async write(catalogue: Catalogue, unit: UnitOfWork): Promise<ReplacedCounts> {
    const { theme = [], marked = {} } = unit
    if (theme.length === 0) return this.send(unit, marked, undefined)
    if (this.places.areNew('theme', theme))
      try {
        return await this.places.begin('theme', theme, () => this.#writeNew(catalogue, unit, theme))
      } catch (error) {
        // Raw records that met something have to be completed first, by the caller.
        if (!isConflict(error, 'places') || unit.raw !== undefined) throw error
      }
    const writeMet = () => this.#writeMet(catalogue, unit, theme)
    return this.places.inTurn('theme', theme, () =>
      unit.raw === undefined
        ? retryOnConflict({ reasons: ['places'], what: 'records of the same stations' }, writeMet)
        : writeMet(),
    )
  }

  /** Nearly every record is new, and its values are good: its text is written as it is. */
  async #writeNew(
    catalogue: Catalogue,
    unit: UnitOfWork,
    theme: readonly NewRecord[],
  ): Promise<ReplacedCounts> {
    if (theme.some(({ marks }) => marks !== undefined))
      return this.#writeMet(catalogue, unit, theme)
    const rows = { ...(await toColumnsInSlices(theme)), areNew: true }
    return this.#forgetting(theme, () =>
      this.#judge({
        catalogue,
        records: theme,
        isNotified: isNotified(unit),
        write: (alarms, verdicts) =>
          verdicts.size === 0
            ? this.send(unit, { rows }, alarms)
            : this.#sendJudged(catalogue, unit, theme, { alarms, verdicts }),
      }),
    )
  }

  /** At once, since writes are sent in the order in which they are evaluated. */
  #sendJudged(
    catalogue: Catalogue,
    unit: UnitOfWork,
    theme: readonly NewRecord[],
    { alarms, verdicts }: { alarms: AlarmUpdate | undefined; verdicts: RuleVerdicts },
  ): Promise<ReplacedCounts> {
    const rows = completeNew(theme, describeStations(catalogue))
    return this.send(unit, toPlacedWrite(rows, verdicts), alarms)
  }

  async #writeMet(
    catalogue: Catalogue,
    unit: UnitOfWork,
    theme: readonly NewRecord[],
  ): Promise<ReplacedCounts> {
    const stored = await this.places.find('theme', theme)
    const { rows, steps, met } = await completeRows(theme, stored, describeStations(catalogue))
    const good = await toPlacedWriteInSlices(rows)
    const { raw } = await this.#forgetting(theme, () =>
      this.#judge({
        catalogue,
        records: steps,
        isNotified: isNotified(unit),
        write: (alarms, verdicts) => {
          const placed = verdicts.size > 0 ? toPlacedWrite(rows, verdicts) : good
          return this.send(unit, placed, alarms)
        },
      }),
    )
    return { theme: { replaced: met }, raw }
  }

  /** What was known of the stations is wrong after a conflict: it is looked up again. */
  async #forgetting<Result>(
    theme: readonly NewRecord[],
    write: () => Promise<Result>,
  ): Promise<Result> {
    try {
      return await write()
    } catch (error) {
      if (isConflict(error, 'places')) this.places.forget('theme', theme)
      throw error
    }
  }

  /** Sends a unit with its completed station records. */
  send(
    unit: UnitOfWork,
    theme: Partial<PlacedWrite>,
    alarms: AlarmUpdate | undefined,
  ): Promise<ReplacedCounts> {
    const { theme: _theme, marked: _marked, isNotified: _isNotified, ...rest } = unit
    const { raw, deletions, ...options } = rest
    const batch = withoutGaps({ theme: theme.rows, raw: raw?.rows })
    return this.#records.write(batch, {
      ...options,
      alarms,
      deletions: withoutGaps({
        theme: joinKeys(deletions?.theme, theme.deletions),
        raw: joinKeys(deletions?.raw, raw?.deletions),
      }),
      marks: withoutGaps({ theme: theme.marks, raw: raw?.marks }),
      expected: withoutGaps({ theme: theme.expected, raw: raw?.expected }),
    })
  }
}

const isNotified = ({ isNotified, change }: UnitOfWork): boolean =>
  isNotified ?? change === undefined

export const describeStations =
  ({ stations }: Catalogue) =>
  (source: number): Recorded => {
    const station = stations.get(source)
    if (station === undefined) throw new Error(`station ${source} is not in the catalogue`)
    return station
  }

type OfKinds<Columns> = Partial<Record<RecordKind, Columns>>

function withoutGaps<Columns>(columns: {
  [Kind in RecordKind]: Columns | undefined
}): OfKinds<Columns> {
  const { theme, raw } = columns
  return { ...(theme === undefined ? {} : { theme }), ...(raw === undefined ? {} : { raw }) }
}

function joinKeys(
  one: RecordKeys | undefined,
  other: RecordKeys | undefined,
): RecordKeys | undefined {
  if (one === undefined || other === undefined) return one ?? other
  return {
    sources: [...one.sources, ...other.sources],
    times: [...one.times, ...other.times],
  }
}
