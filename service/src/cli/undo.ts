import { RefusedError } from '../domain/refused-error.ts'
import type { Undone } from '../storage/storage.ts'
import { UsageError, type Command } from './command.ts'
import { openStorage } from './open.ts'
import { Progress } from './progress.ts'

const RECORDS_AT_ONCE = 5000

export const undo: Command = {
  summary: 'restore what was there before an import, a recomputation or a deletion',
  usage: 'plumbline undo NUMBER',
  help: `NUMBER is what the command printed; "plumbline changes" lists them. Records that the change added go,
those it replaced or deleted come back, and what somebody wrote since stays as it is. It can be stopped and
started again, and works on a change that ended half way. Waveforms go and come back together with
their station values.`,
  options: {},

  async run({ dataFolder, positionals, signal, print }) {
    const [id = ''] = positionals
    if (!/^\d{1,15}$/.test(id)) throw new UsageError('undo takes the number of a change')
    await using storage = await openStorage(dataFolder)
    const change = (await storage.changes.list()).find((one) => one.id === Number(id))
    if (change === undefined)
      throw new RefusedError('absent', `There is no change ${id}; see "plumbline changes".`)

    using progress = new Progress('records')
    const records: Undone = { restored: 0, left: 0 }
    const batches: Undone = { restored: 0, left: 0 }
    for (let isDone = false; !isDone && !signal.aborted;) {
      const step = await storage.changes.undo(change.id, {
        limit: RECORDS_AT_ONCE,
        now: Date.now(),
      })
      add(records, step)
      add(batches, step.batches)
      isDone = step.isDone
      progress.show(records.restored + records.left, change.records)
    }
    progress[Symbol.dispose]()
    const restored = describe(records.restored, batches.restored)
    print(`Change ${id} (${change.description}): ${restored} restored.`)
    const left = describe(records.left, batches.left)
    if (records.left + batches.left > 0) print(`${left} left as found: written by somebody since.`)
    if (signal.aborted) print('Stopped; run it again for the rest.')
  },
}

function add(sum: Undone, { restored, left }: Undone): void {
  sum.restored += restored
  sum.left += left
}

const describe = (records: number, batches: number): string =>
  count(records, 'record') + (batches > 0 ? ` and ${count(batches, 'waveform')}` : '')

const count = (number: number, what: string): string =>
  `${number} ${what}${number === 1 ? '' : 's'}`
