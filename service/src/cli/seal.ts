import { RefusedError } from '../errors/refused-error.ts'
import { reclaimSpace } from '../background/reclaim-space.ts'
import { sealPast } from '../sealing/seal-past.ts'
import { openCatalogue } from '../storage/current-catalogue.ts'
import { printResult, UsageError, type Command } from './command.ts'
import { loadSettings } from './load-settings.ts'
import { openStorage } from './open.ts'
import { Progress } from './progress.ts'
import { recordWrite } from './record-command.ts'
import { readStructure } from './read-structure.ts'
import { countOf } from '../errors/show.ts'

const DAY = 86_400_000

export const seal: Command = {
  summary: 'compress the records of past days',
  usage: 'plumbline seal [--structure ID] [--after-days N] [--json]',
  help: `A running service seals past days in the background. Run this command after an import of old data.
Clients read the same data before, during and after sealing, and sealed records can still be corrected.
The command can be interrupted and run again.

  --structure ID   seal only the records of this structure
  --after-days N   seal days that ended at least N days ago (default: the setting seal.afterDays)
  --json           print JSON: {"records", "bytes", "days", "left", "damages"}`,
  options: {
    structure: { type: 'string' },
    'after-days': { type: 'string' },
    json: { type: 'boolean' },
  },

  async run(context) {
    const { flags, signal, printError } = context
    const config = await loadSettings(context)
    const afterDays = readDays(flags['after-days']) ?? config['seal.afterDays']
    await using storage = await openStorage(context, { config })
    const catalogue = await openCatalogue(storage.site)()
    const structure = readStructure(flags['structure'], catalogue)?.entry.id
    await recordWrite(
      storage,
      'seal',
      structure === undefined ? {} : { structures: [structure] },
      printError,
    )
    using progress = new Progress('records')
    const sealed = await sealPast({
      storage,
      catalogue,
      structure,
      before: Date.now() - afterDays * DAY,
      signal,
      onProgress: ({ done, total }) => progress.show(done, total),
    })
    await reclaimSpace(storage, { signal })
    progress[Symbol.dispose]()
    const { records, bytes, days, left, damages } = sealed
    printResult(context, { records, bytes, days, left, damages }, describe(sealed, signal.aborted))
    if (damages.length > 0)
      throw new RefusedError(
        'unavailable',
        `Damaged days were not sealed:\n${damages.join('\n')}\nRestore them from a backup. Run "plumbline doctor" to check all other data.`,
      )
  },
}

function describe(
  { records, bytes, days, left, damages }: Awaited<ReturnType<typeof sealPast>>,
  isStopped: boolean,
): string[] {
  const hasNothing = days === 0 && left === 0 && damages.length === 0
  if (hasNothing && !isStopped) return ['There are no days to seal.']
  const sealed = `Sealed ${countOf(records, 'record')} of ${countOf(days, 'day')}; they now take ${showBytes(bytes)}.`
  return [
    ...(days === 0 ? [] : [sealed]),
    ...(left === 0
      ? []
      : [`${countOf(left, 'day')} received records meanwhile; run the command again later.`]),
    ...(isStopped ? ['Stopped. Run the command again to seal the other days.'] : []),
  ]
}

const UNITS = ['bytes', 'KB', 'MB', 'GB'] as const

/** `812 bytes`, `3.4 KB`, `12.0 MB`. */
function showBytes(bytes: number): string {
  const step = Math.min(UNITS.length - 1, Math.floor(Math.log2(Math.max(bytes, 1)) / 10))
  return `${(bytes / 1024 ** step).toFixed(step === 0 ? 0 : 1)} ${UNITS[step]}`
}

function readDays(flag: string | boolean | undefined): number | undefined {
  if (flag === undefined) return undefined
  const days = flag === '' ? NaN : Number(flag)
  if (!(days >= 0 && days <= 36_500))
    throw new UsageError('--after-days must be a number of 0 or more')
  return days
}
