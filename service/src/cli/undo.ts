import { Commits } from '../commit/commits.ts'
import { countOf } from '../errors/show.ts'
import { refuseUndone, undoChange, type UndoneChange } from '../undo/undo-change.ts'
import { textPrinter, UsageError, type Command } from './command.ts'
import { describeRestored } from './describe-restored.ts'
import { openStorage } from './open.ts'
import { Progress } from './progress.ts'
import { recordWrite } from './record-command.ts'

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
    const commits = Commits.open({ storage, now: Date.now })
    using progress = new Progress('records')
    const undone = await undoChange({ storage, commits }, Number(id), {
      keep: flags['keep'] === true,
      signal,
      onBegin: (change) => recordWrite(storage, 'undo', { change: change.id }, printError),
      onProgress: (done, total) => progress.show(done, total),
      onRecords(counts) {
        progress[Symbol.dispose]()
        for (const line of describe(counts)) print(line)
      },
    })
    for (const alarm of undone.alarms) print(describeRestored(alarm))
    const { change, ...rest } = undone
    if (flags['json'] === true) context.print(JSON.stringify({ change: change.id, ...rest }))
    refuseUndone(undone)
  },
}

function describe({ change, records, waveforms, isDone }: Omit<UndoneChange, 'alarms'>): string[] {
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
