import { Commits } from '../commit/commits.ts'
import { restoreAlarms, type RestoredAlarm } from '../alarms/restore-alarms.ts'
import { rewindAlarms } from '../alarms/rewind-alarms.ts'
import type { Catalogue, CatalogueStation } from '../domain/site/catalogue.ts'
import { SERVICE_SPONSOR } from '../domain/alarms/alarm-lifecycle.ts'
import { RefusedError } from '../errors/refused-error.ts'
import type { Change, Storage, UndoCounts } from '../storage/storage.ts'
import { openCatalogue } from '../storage/current-catalogue.ts'
import { UsageError, type Command } from './command.ts'
import { openStorage } from './open.ts'
import { Progress } from './progress.ts'
import { recordWrite } from './record-command.ts'
import { showMoment } from './table.ts'
import { countOf } from '../errors/show.ts'

const STEP_RECORDS = 5000

export const undo: Command = {
  summary: 'undo an import, a recomputation or a deletion',
  usage: 'plumbline undo NUMBER',
  help: `NUMBER is the number of the change; "plumbline changes" lists them. Records that the change added are
removed, records that it replaced or deleted are restored, and records that were written since stay as they are.
Waveforms are removed and restored together with their station values. Alarms that ended with deleted records are
opened again. The command can be interrupted and run again; it also undoes a change that was interrupted.`,
  options: {},

  async run({ dataFolder, positionals, signal, print, printError }) {
    const [id = ''] = positionals
    if (!/^\d{1,15}$/.test(id)) throw new UsageError('undo needs the number of a change')
    await using storage = await openStorage({ dataFolder, printError })
    const change = (await storage.changes.list()).find((one) => one.id === Number(id))
    if (change === undefined)
      throw new RefusedError('absent', `There is no change ${id}; see "plumbline changes".`)
    recordWrite('undo', { change: change.id }, printError)
    using progress = new Progress('records')
    const records: UndoCounts = { removed: 0, restored: 0, left: 0 }
    const waveforms: UndoCounts = { removed: 0, restored: 0, left: 0 }
    const newest = new Map<number, number>()
    const wasUndone = change.undoneAt !== null
    let isDone = wasUndone
    while (!isDone && !signal.aborted) {
      const step = await storage.changes.undo(change.id, {
        limit: STEP_RECORDS,
        now: Date.now(),
      })
      for (const [station, time] of step.newest)
        newest.set(station, Math.max(time, newest.get(station) ?? time))
      add(records, step)
      add(waveforms, step.waveforms)
      ;({ isDone } = step)
      progress.show(records.removed + records.restored + records.left, change.records)
    }
    progress[Symbol.dispose]()
    if (!wasUndone)
      print(`Undid change ${id} (${change.description}): ${describe(records, waveforms)}.`)
    if (records.left + waveforms.left > 0)
      print(`${name(records.left, waveforms.left)} unchanged, written again since the change.`)
    if (!isDone) return print('Stopped. Run the command again to continue.')
    if (change.kind === 'recompute') return refuseUndone(change)
    const commits = Commits.open({ storage, now: Date.now })
    const catalogue = await openCatalogue(storage.site)()
    const options = { newest, sponsor: SERVICE_SPONSOR, now: Date.now() }
    if (change.kind === 'import') {
      const stations = await findRewound(storage, catalogue, { newest, horizon: commits.horizon() })
      await rewindAlarms({ commits, storage }, { ...options, stations })
    }
    const alarms = await restoreAlarms({ commits, storage }, catalogue, options)
    for (const alarm of alarms) print(describeAlarm(alarm))
    // An undo that was interrupted after its records still had alarms to restore.
    if (alarms.length === 0) refuseUndone(change)
  },
}

function refuseUndone({ id, undoneAt }: Change): void {
  if (undoneAt === null) return
  throw new RefusedError('invalid', `Change ${id} was already undone, on ${showMoment(undoneAt)}.`)
}

const OUTCOME_TEXTS = {
  reopened: 'was opened again.',
  opened: 'was raised by the newest record of the station.',
  ended: 'was cleared: the newest record of the station is normal.',
  changed: 'was updated with the newest record of the station.',
} as const satisfies Record<RestoredAlarm['outcome'], string>

const describeAlarm = ({ id, source, level, outcome }: RestoredAlarm): string =>
  `${id === null ? 'A new alarm' : `Alarm ${id}`} of station ${source.id} "${source.name}" (level ${level}) ${OUTCOME_TEXTS[outcome]}`

/** The stations whose newest records were removed. */
async function findRewound(
  { records }: Pick<Storage, 'records'>,
  { stations }: Catalogue,
  { newest, horizon }: { newest: ReadonlyMap<number, number>; horizon: number },
): Promise<CatalogueStation[]> {
  const ids = Array.from(newest.keys())
  const left = await records.findNewest('theme', ids, horizon)
  const removed = Array.from(newest).filter(([, time], at) => time > (left[at] ?? -Infinity))
  return removed.flatMap(([id]) => stations.get(id) ?? [])
}

function add(sum: UndoCounts, { removed, restored, left }: UndoCounts): void {
  sum.removed += removed
  sum.restored += restored
  sum.left += left
}

/** `3 records and 1 waveform removed, 0 records restored`. */
const describe = (records: UndoCounts, waveforms: UndoCounts): string =>
  (['removed', 'restored'] as const)
    .map((outcome) => `${name(records[outcome], waveforms[outcome])} ${outcome}`)
    .join(', ')

const name = (records: number, waveforms: number): string =>
  countOf(records, 'record') + (waveforms > 0 ? ` and ${countOf(waveforms, 'waveform')}` : '')
