import type { Change } from '../storage/storage.ts'
import type { Command } from './command.ts'
import { openStorage } from './open.ts'
import { formatTable, showMoment } from './table.ts'

export const changes: Command = {
  summary: 'list the imports and recomputations that can be undone',
  usage: 'plumbline changes [--json]',
  help: `Lists them in the order in which they began: when, in what state, and how many records
and waveforms "plumbline undo" would look at.

  --json   prints JSON`,
  options: { json: { type: 'boolean' } },

  async run({ dataFolder, flags, print }) {
    await using storage = await openStorage(dataFolder)
    const list = await storage.changes.list()
    if (flags['json'] === true) return print(JSON.stringify(list))
    if (list.length === 0) return print('There are no changes.')
    const rows = list.map((change) => [
      String(change.id),
      change.kind,
      showMoment(change.startedAt),
      stateOf(change),
      String(change.records),
      String(change.batches),
      change.description,
    ])
    const head = ['number', 'kind', 'began', 'state', 'records', 'waveforms', 'what']
    for (const line of formatTable(head, rows)) print(line)
  },
}

function stateOf({ undoneAt, finishedAt }: Change): string {
  if (undoneAt !== null) return 'undone'
  return finishedAt === null ? 'not finished' : 'finished'
}
