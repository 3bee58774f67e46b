import { loadConfig } from '../config/load.ts'
import type { Change } from '../storage/storage.ts'
import type { Command } from './command.ts'
import { openStorage } from './open.ts'
import { formatTable, showMoment } from './table.ts'

const DAY = 86_400_000

export const changes: Command = {
  summary: 'list the imports, recomputations and deletions that can be undone',
  usage: 'plumbline changes [--json]',
  help: `Lists them in the order in which they began: when, in what state, until when they
can be undone (ingest.keepChangesDays), and how many records and waveforms "plumbline undo" would
look at.

  --json   prints JSON`,
  options: { json: { type: 'boolean' } },

  async run({ dataFolder, configFile, flags, print, complain }) {
    const config = await loadConfig({ dataFolder, file: configFile, flags: {} })
    const keepDays = config['ingest.keepChangesDays']
    await using storage = await openStorage({ dataFolder, complain })
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
      change.undoneAt === null ? showTerm(change.undoUntil) : '',
      String(change.records),
      String(change.waveforms),
      change.description,
    ])
    const head = [
      'number',
      'kind',
      'began',
      'state',
      'can be undone until',
      'records',
      'waveforms',
      'what',
    ]
    for (const line of formatTable(head, rows)) print(line)
  },
}

/** `null`: there is no end to it, or it was undone. */
const undoUntil = ({ startedAt, undoneAt }: Change, keepDays: number): number | null =>
  keepDays === 0 || undoneAt !== null ? null : startedAt + keepDays * DAY

const showTerm = (until: number | null): string => (until === null ? 'for ever' : showMoment(until))

function stateOf({ undoneAt, finishedAt }: Change): string {
  if (undoneAt !== null) return 'undone'
  return finishedAt === null ? 'not finished' : 'finished'
}
