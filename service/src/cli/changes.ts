import type { Change } from '../storage/storage.ts'
import { undoUntil } from '../undo/undo-until.ts'
import type { Command } from './command.ts'
import { loadSettings } from './load-settings.ts'
import { openStorage } from './open.ts'
import { formatTable, showMoment } from './table.ts'

export const changes: Command = {
  summary:
    'list the changes that can be undone: imports, recomputations, deletions, rewritings, marked values, readings',
  usage: 'plumbline changes [--json]',
  help: `Lists all changes, oldest first, with start, state, the time until which each can be undone
(ingest.keepChangesDays), and the number of records and waveforms.

  --json   print JSON`,
  options: { json: { type: 'boolean' } },

  async run(context) {
    const { flags, print } = context
    const config = await loadSettings(context)
    const keepDays = config['ingest.keepChangesDays']
    await using storage = await openStorage(context, {
      config,
      mayBeRewriting: true,
      mayBeRemote: true,
    })
    const list = (await storage.changes.list()).map((change) => {
      return { ...change, undoUntil: undoUntil(change, keepDays) }
    })
    if (flags['json'] === true) return print(JSON.stringify(list))
    if (list.length === 0) return print('There are no changes.')
    const rows = list.map((change) => [
      String(change.id),
      change.kind,
      showMoment(change.startedAt),
      stateOf(change),
      change.undoneAt === null ? showUndoUntil(change.undoUntil) : '',
      String(change.records),
      String(change.waveforms),
      change.description,
    ])
    const head = [
      'number',
      'kind',
      'started',
      'state',
      'can be undone until',
      'records',
      'waveforms',
      'description',
    ]
    for (const line of formatTable(head, rows)) print(line)
  },
}

const showUndoUntil = (until: number | null): string =>
  until === null ? 'no limit' : showMoment(until)

function stateOf({ undoneAt, finishedAt }: Change): string {
  if (undoneAt !== null) return 'undone'
  return finishedAt === null ? 'not finished' : 'finished'
}
