import { findNewestEvaluated } from '../alarms/newest-evaluated.ts'
import { restoreAlarms, type RestoredAlarm } from '../alarms/restore-alarms.ts'
import { rewindAlarms } from '../alarms/rewind-alarms.ts'
import type { Commits } from '../commit/commits.ts'
import { SERVICE_SPONSOR } from '../domain/alarms/alarm-lifecycle.ts'
import type { Catalogue, CatalogueStation } from '../domain/site/catalogue.ts'
import { RefusedError } from '../errors/refused-error.ts'
import { openCatalogue } from '../storage/current-catalogue.ts'
import type { Change, Storage, UndoCounts, UndoStep } from '../storage/storage.ts'
import { requireUndoable } from './require-undoable.ts'

const STEP_RECORDS = 5000

/** An alarm that an undo changed; `withdrawn`: the undone change had raised it. */
export type UndoneAlarm = Omit<RestoredAlarm, 'outcome'> & {
  outcome: RestoredAlarm['outcome'] | 'withdrawn'
}

export type UndoneChange = {
  /** As it was before. */
  change: Change
  records: UndoCounts
  waveforms: UndoCounts
  alarms: readonly UndoneAlarm[]
  /** False where it was stopped before its end. */
  isDone: boolean
}

type UndoParts = { storage: Storage; commits: Commits }

export type UndoOptions = {
  /** Undoes it although later changes wrote some of the same records, which stay as they are. */
  keep?: boolean
  signal?: AbortSignal
  /** Why no rewriting of records is undone, as a sentence. */
  rewritingProblem?: string
  /** Called before the first record is undone. */
  onBegin?(change: Change): Promise<void>
  onProgress?(records: number, total: number): void
  /** Called when the records are undone, or some of them, before their alarms. */
  onRecords?(undone: Omit<UndoneChange, 'alarms'>): void
}

/**
 * Removes the records that a change added, restores those that it replaced or deleted, and changes the
 * alarms as that requires. An undo that was interrupted is continued by the next one.
 */
export async function undoChange(
  parts: UndoParts,
  id: number,
  options: UndoOptions = {},
): Promise<UndoneChange> {
  const { storage } = parts
  const change = await requireUndoable(storage.changes, id, options)
  await options.onBegin?.(change)
  await using _alone = await beginUndo(storage, change)
  const { newest, ...records } = await undoRecords(storage, change, options)
  const undone = { change, ...records }
  options.onRecords?.(undone)
  const alarms = undone.isDone ? await restore(parts, change, newest) : []
  return { ...undone, alarms }
}

/** Begins an undo. Records of which some are rewritten and others are not are served to nobody. */
async function beginUndo(
  storage: Storage,
  { id, kind, finishedAt, undoneAt }: Change,
): Promise<AsyncDisposable | undefined> {
  if (undoneAt !== null) return undefined
  const alone = kind === 'rewrite' ? await storage.takeAlone() : undefined
  // Until it is undone, the list shows that it is not whole any more.
  if (finishedAt !== null) await storage.changes.reopen(id)
  return alone
}

type Undone = Pick<UndoneChange, 'records' | 'waveforms' | 'isDone'> & {
  /** The newest record of each station that was removed. */
  newest: ReadonlyMap<number, number>
}

/** Undoes the records and waveforms of a change; nothing of one that was undone already. */
async function undoRecords(
  { changes }: Pick<Storage, 'changes'>,
  change: Change,
  options: UndoOptions,
): Promise<Undone> {
  const records: UndoCounts = { removed: 0, restored: 0, left: 0 }
  const waveforms: UndoCounts = { removed: 0, restored: 0, left: 0 }
  const newest = new Map<number, number>()
  let isDone = change.undoneAt !== null
  while (!isDone && options.signal?.aborted !== true) {
    const hasBegun = records.removed + records.restored + records.left > 0
    const step = await undoStep(changes, change.id, hasBegun)
    for (const [station, time] of step.newest)
      newest.set(station, Math.max(time, newest.get(station) ?? time))
    add(records, step)
    add(waveforms, step.waveforms)
    ;({ isDone } = step)
    options.onProgress?.(records.removed + records.restored + records.left, change.records)
  }
  return { records, waveforms, newest, isDone }
}

const NOTHING: UndoCounts = { removed: 0, restored: 0, left: 0 }

const REST_IS_UNDONE: UndoStep = {
  ...NOTHING,
  waveforms: NOTHING,
  newest: new Map(),
  isDone: true,
}

/** Undoes a part; nothing is left where another command that undoes the change has done the rest. */
async function undoStep(
  changes: Pick<Storage['changes'], 'undo'>,
  id: number,
  hasBegun: boolean,
): Promise<UndoStep> {
  try {
    return await changes.undo(id, { limit: STEP_RECORDS, now: Date.now() })
  } catch (error) {
    if (hasBegun && error instanceof RefusedError && error.reason === 'invalid')
      return REST_IS_UNDONE
    throw error
  }
}

/** Restores the alarms that the change had ended, and ends those that it had raised. */
async function restore(
  parts: UndoParts,
  { kind }: Change,
  newest: ReadonlyMap<number, number>,
): Promise<readonly UndoneAlarm[]> {
  if (kind === 'recompute' || kind === 'rewrite') return []
  const { storage, commits } = parts
  const catalogue = await openCatalogue(storage.site)()
  const options = { newest, sponsor: SERVICE_SPONSOR, now: Date.now() }
  const horizon = commits.horizon()
  const stations =
    kind === 'deletion' ? [] : await findRewound(storage, catalogue, { newest, horizon })
  const rewound = stations.length === 0 ? [] : await rewindAlarms(parts, { ...options, stations })
  const restored = await restoreAlarms(parts, catalogue, options)
  const withdrawn = rewound.flatMap(({ id, source, level, hasEnded }) =>
    hasEnded ? [{ id, source, level, outcome: 'withdrawn' as const }] : [],
  )
  return [...withdrawn, ...restored]
}

/**
 * Refuses a change that was undone before and left nothing to do. An undo that was interrupted after its
 * records still had alarms to restore.
 */
export function refuseUndone({ change: { id, undoneAt }, isDone, alarms }: UndoneChange): void {
  if (undoneAt === null || !isDone || alarms.length > 0) return
  const moment = new Date(undoneAt).toISOString().slice(0, 19).replace('T', ' ')
  throw new RefusedError('invalid', `Change ${id} was already undone, on ${moment} UTC.`)
}

/** The stations whose newest records were removed, or have bad values only. */
async function findRewound(
  { records }: Pick<Storage, 'records'>,
  { stations }: Catalogue,
  { newest, horizon }: { newest: ReadonlyMap<number, number>; horizon: number },
): Promise<CatalogueStation[]> {
  const changed = Array.from(newest.keys()).flatMap((id) => stations.get(id) ?? [])
  const left = await findNewestEvaluated(records, changed, horizon)
  return changed.filter(({ entry: { id } }, at) => {
    const time = newest.get(id) ?? -Infinity
    return time > (left[at] ?? -Infinity)
  })
}

function add(sum: UndoCounts, { removed, restored, left }: UndoCounts): void {
  sum.removed += removed
  sum.restored += restored
  sum.left += left
}
