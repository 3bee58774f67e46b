import { RefusedError } from '../domain/refused-error.ts'
import { UsageError, type Command } from './command.ts'
import { openStorage } from './open.ts'
import { Progress } from './progress.ts'

const RECORDS_AT_ONCE = 5000

export const undo: Command = {
  summary: 'restore what was there before an import',
  usage: 'plumbline undo NUMBER',
  help: `NUMBER is what the import printed; "plumbline changes" lists them. Records that the import added go,
those it replaced come back, and what somebody wrote since stays as it is. It can be stopped and
started again, and works on an import that ended half way. Waveforms are not restored: an import of
them is no change and has no number.`,
  options: {},

  async run({ dataFolder, positionals, signal, print }) {
    const [id = ''] = positionals
    if (!/^\d{1,15}$/.test(id)) throw new UsageError('undo takes the number of a change')
    await using storage = await openStorage(dataFolder)
    const change = (await storage.changes.list()).find((one) => one.id === Number(id))
    if (change === undefined)
      throw new RefusedError('absent', `There is no change ${id}; see "plumbline changes".`)

    using progress = new Progress('records')
    let restored = 0
    let left = 0
    for (let isDone = false; !isDone && !signal.aborted;) {
      const step = await storage.changes.undo(change.id, {
        limit: RECORDS_AT_ONCE,
        now: Date.now(),
      })
      restored += step.restored
      left += step.left
      isDone = step.isDone
      progress.show(restored + left, change.records)
    }
    progress[Symbol.dispose]()
    print(`Change ${id} (${change.description}): ${records(restored)} restored.`)
    if (left > 0) print(`${records(left)} left as found: written by somebody since.`)
    if (signal.aborted) print('Stopped; run it again for the rest.')
  },
}

const records = (number: number): string => `${number} record${number === 1 ? '' : 's'}`
