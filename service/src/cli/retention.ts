import { reclaimSpace } from '../background/reclaim-space.ts'
import { confirmedAt, followClock, UNKNOWN_CLOCK } from '../domain/time/trusted-clock.ts'
import { RefusedError } from '../errors/refused-error.ts'
import { countExpired, expireRecords, type Expired } from '../retention/expire-records.ts'
import { openCatalogue } from '../storage/current-catalogue.ts'
import type { Storage } from '../storage/storage.ts'
import { printResult, textPrinter, UsageError, type Command } from './command.ts'
import { loadSettings } from './load-settings.ts'
import { openStorage } from './open.ts'
import { readStructure } from './read-structure.ts'
import { recordWrite } from './record-command.ts'
import { formatTable, showMoment } from './table.ts'

const HOUR = 3_600_000

export const retention: Command = {
  summary: 'delete records whose retention period has ended',
  usage: 'plumbline retention [--structure ID] [--yes | --dry-run] [--confirm-clock] [--json]',
  help: `A running service deletes expired records in the background, at most a share of all records a day
(retention.maxShareOfDay). The site file sets the retention periods of a structure; without one, records are kept
for ever. This command deletes all expired records at once. Without --yes it only counts them. Deleted records
cannot be restored.

  --structure ID    only the records of this structure
  --yes             delete the records
  --dry-run         only count the records, as without --yes
  --confirm-clock   confirm that the clock of this machine is right, if the service does not trust it; check it
                    with "date" first
  --json            print JSON: {"expired", "isDeleted"}, with the expired records of each structure`,
  options: {
    structure: { type: 'string' },
    yes: { type: 'boolean' },
    'dry-run': { type: 'boolean' },
    'confirm-clock': { type: 'boolean' },
    json: { type: 'boolean' },
  },

  async run(context) {
    const { flags, signal, printError } = context
    const print = textPrinter(context)
    const isDeletion = flags['yes'] === true
    if (isDeletion && flags['dry-run'] === true)
      throw new UsageError('Use either --yes or --dry-run.')
    const config = await loadSettings(context)
    await using storage = await openStorage(context, { config })
    const now = Date.now()
    if (flags['confirm-clock'] === true) {
      await recordWrite(storage, 'retention --confirm-clock', {}, printError)
      await confirmClock(storage, now)
      print(`The clock is confirmed: ${showMoment(now)}.`)
    }
    const catalogue = await openCatalogue(storage.site)()
    const structure = readStructure(flags['structure'], catalogue)?.entry.id
    const options = { storage, catalogue, structure, now, signal }
    if (isDeletion) await requireTrustedClock(storage, now, config['retention.maxClockJumpHours'])
    const structures = structure === undefined ? {} : { structures: [structure] }
    if (isDeletion) await recordWrite(storage, 'retention', structures, printError)
    const counts = await (isDeletion ? expireRecords(options) : countExpired(options))
    printResult(context, { expired: counts, isDeleted: isDeletion }, describe(counts))
    if (!isDeletion && counts.length > 0)
      return print('Nothing was deleted. Add --yes to delete these records.')
    if (!isDeletion) return
    if (counts.length > 0) print('These records were deleted.')
    await reclaimSpace(storage, { signal })
    if (signal.aborted) print('Stopped. Run the command again to delete the other records.')
  },
}

async function confirmClock({ clock }: Pick<Storage, 'clock'>, now: number): Promise<void> {
  for (;;) {
    const { version } = (await clock.read()) ?? { version: 0 }
    // A conflict with the service is resolved by replacing its newer state.
    if (await clock.write(confirmedAt(now), version)) return
  }
}

/** Refuses a clock that does not agree with the trusted time; a command cannot check it by its uptime. */
async function requireTrustedClock(
  { clock }: Pick<Storage, 'clock'>,
  now: number,
  hours: number,
): Promise<void> {
  const { state } = (await clock.read()) ?? { state: UNKNOWN_CLOCK }
  const { trusted, doubted } = followClock(state, { now, elapsed: 0, tolerance: hours * HOUR })
  if (doubted === null) return
  const lastTrusted =
    trusted === null
      ? 'no running service has confirmed it yet'
      : `the last trusted time is ${showMoment(trusted.instant)}`
  throw new RefusedError(
    'unavailable',
    `The clock says ${showMoment(now)}, but ${lastTrusted}. If the clock is right, add --confirm-clock.`,
  )
}

function describe(counts: readonly Expired[]): string[] {
  if (counts.length === 0) return ['There are no expired records.']
  const rows = counts.map(({ structure, theme, raw, vibration, traffic }) =>
    [structure, theme, raw, vibration, traffic].map(String),
  )
  return formatTable(['structure', 'theme', 'raw', 'vibration', 'traffic'], rows)
}
