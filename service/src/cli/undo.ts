import { Commits } from '../commit/commits.ts'
import { findNewestEvaluated } from '../alarms/newest-evaluated.ts'
import { restoreAlarms } from '../alarms/restore-alarms.ts'
import { rewindAlarms } from '../alarms/rewind-alarms.ts'
import type { Catalogue, CatalogueStation } from '../domain/site/catalogue.ts'
import { SERVICE_SPONSOR } from '../domain/alarms/alarm-lifecycle.ts'
import { RefusedError } from '../errors/refused-error.ts'
import type { Change, Storage, UndoCounts, UndoStep } from '../storage/storage.ts'
import { openCatalogue } from '../storage/current-catalogue.ts'
import { textPrinter, UsageError, type Command } from './command.ts'
import { describeRestored, type UndoneAlarm } from './describe-restored.ts'
import { openStorage } from './open.ts'
import { Progress } from './progress.ts'
import { recordWrite } from './record-command.ts'
import { showMoment } from './table.ts'
import { countOf } from '../errors/show.ts'

const STEP_RECORDS = 5000

export const undo: Command = {
  summary:
    'undo an import, a recomputation, a deletion, a rewriting, marked values or manual readings',
  usage: 'plumbline undo NUMBER [--keep] [--json]',
  help: `NUMBER is the number of the change; "plumbline changes" lists them. Records that the change added are
removed, records that it replaced or deleted are restored, and records that were written since stay as they are.
Where a later change wrote some of the same records, undo that one first: changes are undone by record, not by value.
Waveforms are removed and restored together with their station values. Alarms that ended with deleted records or
with values that were marked as bad are opened again. Undoing a rewriting of "plumbline site apply" needs the
service to be stopped; the site stays as it is. The command can be interrupted and run again; it also undoes a
change that was interrupted.

  --keep   keep the records that later changes wrote
  --json   print JSON: {"change", "records", "waveforms", "alarms", "isDone"}`,
  options: { keep: { type: 'boolean' }, json: { type: 'boolean' } },

  async run(context) {
    const { positionals, flags, signal, printError } = context
    const print = textPrinter(context)
    const [id = ''] = positionals
    if (!/^\d{1,15}$/.test(id)) throw new UsageError('undo needs the number of a change')
    await using storage = await openStorage(context, { mayBeRewriting: true })
    const list = await storage.changes.list()
    const change = list.find((one) => one.id === Number(id))
    if (change === undefined)
      throw new RefusedError('absent', `There is no change ${id}; see "plumbline changes".`)
    refuseBeforeRewriting(change, list)
    if (flags['keep'] !== true) await refuseBeforeLater(storage.changes, change, list)
    await recordWrite(storage, 'undo', { change: change.id }, printError)
    await using _alone = await beginUndo(storage, change)
    const undone = await undoRecords(storage, change, signal)
    for (const line of describe(change, undone)) print(line)
    const alarms = undone.isDone ? await restore(storage, change, undone.newest) : []
    for (const alarm of alarms) print(describeRestored(alarm))
    const { records, waveforms, isDone } = undone
    if (flags['json'] === true)
      context.print(JSON.stringify({ change: change.id, records, waveforms, alarms, isDone }))
    // An undo that was interrupted after its records still had alarms to restore.
    if (isDone && alarms.length === 0) refuseUndone(change)
  },
}

/** What a later change wrote would stay, and what this one wrote with it. */
async function refuseBeforeLater(
  changes: Pick<Storage['changes'], 'findLater'>,
  { id, undoneAt }: Change,
  list: readonly Change[],
): Promise<void> {
  if (undoneAt !== null) return
  const later = await changes.findLater(id)
  if (later === undefined) return
  const description = list.find((one) => one.id === later)?.description ?? ''
  throw new RefusedError(
    'invalid',
    `Change ${later} (${description}) wrote some of the records of change ${id} later. Undo change ${later} first, or add --keep: then these records stay as they are.`,
  )
}

/** What a change has kept from before a rewriting has the old units and keys. */
function refuseBeforeRewriting({ id, undoneAt }: Change, changes: readonly Change[]): void {
  const later = changes.findLast((one) => {
    return one.kind === 'rewrite' && one.id > id && one.undoneAt === null
  })
  if (later === undefined || undoneAt !== null) return
  throw new RefusedError(
    'invalid',
    `Change ${id} has records from before change ${later.id} (${later.description}), which gave records other units or keys. Undo change ${later.id} first.`,
  )
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

type Undone = {
  records: UndoCounts
  waveforms: UndoCounts
  /** The newest record of each station that was removed. */
  newest: ReadonlyMap<number, number>
  isDone: boolean
}

/** Undoes the records and waveforms of a change; nothing of one that was undone already. */
async function undoRecords(
  { changes }: Pick<Storage, 'changes'>,
  change: Change,
  signal: AbortSignal,
): Promise<Undone> {
  using progress = new Progress('records')
  const records: UndoCounts = { removed: 0, restored: 0, left: 0 }
  const waveforms: UndoCounts = { removed: 0, restored: 0, left: 0 }
  const newest = new Map<number, number>()
  let isDone = change.undoneAt !== null
  while (!isDone && !signal.aborted) {
    const hasBegun = records.removed + records.restored + records.left > 0
    const step = await undoStep(changes, change.id, hasBegun)
    for (const [station, time] of step.newest)
      newest.set(station, Math.max(time, newest.get(station) ?? time))
    add(records, step)
    add(waveforms, step.waveforms)
    ;({ isDone } = step)
    progress.show(records.removed + records.restored + records.left, change.records)
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
  storage: Storage,
  { kind }: Change,
  newest: ReadonlyMap<number, number>,
): Promise<readonly UndoneAlarm[]> {
  if (kind === 'recompute' || kind === 'rewrite') return []
  const commits = Commits.open({ storage, now: Date.now })
  const catalogue = await openCatalogue(storage.site)()
  const options = { newest, sponsor: SERVICE_SPONSOR, now: Date.now() }
  const parts = { commits, storage }
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

function refuseUndone({ id, undoneAt }: Change): void {
  if (undoneAt === null) return
  throw new RefusedError('invalid', `Change ${id} was already undone, on ${showMoment(undoneAt)}.`)
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

function describe(change: Change, { records, waveforms, isDone }: Undone): string[] {
  const outcomes = (['removed', 'restored'] as const)
    .map((outcome) => `${name(records[outcome], waveforms[outcome])} ${outcome}`)
    .join(', ')
  return [
    ...(change.undoneAt === null
      ? [`Undid change ${change.id} (${change.description}): ${outcomes}.`]
      : []),
    ...(records.left + waveforms.left === 0
      ? []
      : [`${name(records.left, waveforms.left)} unchanged, written again since the change.`]),
    ...(isDone ? [] : ['Stopped. Run the command again to continue.']),
    ...(isDone && change.kind === 'rewrite' ? [SITE_IS_LEFT] : []),
  ]
}

const SITE_IS_LEFT =
  'The site is as it was. If it declares the new units or keys already, apply the earlier site file with --relabel before the service starts; records that arrived since the rewriting stay as they came.'

/** `3 records and 1 waveform`. */
const name = (records: number, waveforms: number): string =>
  countOf(records, 'record') + (waveforms > 0 ? ` and ${countOf(waveforms, 'waveform')}` : '')
