import { loadConfig } from '../config/load.ts'
import { RefusedError } from '../errors/refused-error.ts'
import { reclaimSpace } from '../background/reclaim-space.ts'
import { sealPast } from '../sealing/seal-past.ts'
import { openCatalogue } from '../storage/current-catalogue.ts'
import { UsageError, type Command } from './command.ts'
import { openStorage } from './open.ts'
import { Progress } from './progress.ts'
import { recordWrite } from './record-command.ts'
import { readStructure } from './read-structure.ts'

const DAY = 86_400_000

export const seal: Command = {
  summary: 'keep past days in the compressed bytes in which they are sent',
  usage: 'plumbline seal [--structure ID] [--after-days N]',
  help: `A running service does this by itself, with the time it has to spare. By hand it is useful
after an import of old data. What clients read is the same before, meanwhile and afterwards, and
records may be corrected at any time. It can be stopped and started again.

  --structure ID   only the records of this structure
  --after-days N   days that ended at least so many days ago (default: the setting seal.afterDays)`,
  options: { structure: { type: 'string' }, 'after-days': { type: 'string' } },

  async run({ dataFolder, configFile, flags, signal, print, complain }) {
    const config = await loadConfig({ dataFolder, file: configFile, flags: {} })
    const afterDays = readDays(flags['after-days']) ?? config['seal.afterDays']
    await using storage = await openStorage({ dataFolder, complain })
    const catalogue = await openCatalogue(storage.site)()
    const structure = readStructure(flags['structure'], catalogue)
    recordWrite('seal', structure === undefined ? {} : { structures: [structure] }, complain)
    using progress = new Progress('records')
    const { records, bytes, days, left, damages } = await sealPast({
      storage,
      catalogue,
      structure,
      before: Date.now() - afterDays * DAY,
      signal,
      onProgress: ({ done, total }) => progress.show(done, total),
    })
    await reclaimSpace(storage, { signal })
    progress[Symbol.dispose]()
    const isIdle = days === 0 && left === 0 && damages.length === 0
    if (isIdle && !signal.aborted) return print('There is nothing to seal.')
    const size = (bytes / 1024 / 1024).toFixed(1)
    if (days > 0)
      print(`${records} records of ${days} days were sealed; their days take ${size} MB now.`)
    if (left > 0)
      print(`Into ${left} of these days records kept coming; seal them once more later.`)
    if (damages.length > 0)
      throw new RefusedError(
        'unavailable',
        `Damaged, and left as it is:\n${damages.join('\n')}\nRestore it from a backup; "plumbline doctor" looks through the rest.`,
      )
    if (signal.aborted) print('Stopped; what is left is sealed the next time.')
  },
}

function readDays(flag: string | boolean | undefined): number | undefined {
  if (flag === undefined) return undefined
  const days = flag === '' ? NaN : Number(flag)
  if (!(days >= 0 && days <= 36_500))
    throw new UsageError('--after-days must be a number of days, 0 or more')
  return days
}
