import { reclaimSpace } from '../background/reclaim-space.ts'
import { loadConfig } from '../config/load.ts'
import { confirmedAt, followClock, UNKNOWN_CLOCK } from '../domain/time/trusted-clock.ts'
import { RefusedError } from '../errors/refused-error.ts'
import { countExpired, expireRecords, type Expired } from '../retention/expire-records.ts'
import { openCatalogue } from '../storage/current-catalogue.ts'
import type { Storage } from '../storage/storage.ts'
import { UsageError, type Command } from './command.ts'
import { openStorage } from './open.ts'
import { readStructure } from './read-structure.ts'
import { recordWrite } from './record-command.ts'
import { formatTable, showMoment } from './table.ts'

const HOUR = 3_600_000

export const retention: Command = {
  summary: 'delete records that are past the retention of their structure',
  usage: 'plumbline retention [--structure ID] [--yes | --dry-run] [--confirm-clock]',
  help: `A running service does this by itself, so many records a day (retention.maxShareOfDay). The site file
says how long a structure keeps its records; where it says nothing, nothing is deleted. By hand everything
past its term goes at once. Without --yes it is only counted. What is deleted cannot be brought back.

  --structure ID    only the records of this structure
  --yes             delete them
  --dry-run         only count them, as without --yes
  --confirm-clock   say that the clock of this machine is right, where the service doubts it; check it with
                    "date" first`,
  options: {
    structure: { type: 'string' },
    yes: { type: 'boolean' },
    'dry-run': { type: 'boolean' },
    'confirm-clock': { type: 'boolean' },
  },

  async run({ dataFolder, configFile, flags, signal, print, complain }) {
    const isMeant = flags['yes'] === true
    if (isMeant && flags['dry-run'] === true)
      throw new UsageError('give --yes or --dry-run, not both')
    const config = await loadConfig({ dataFolder, file: configFile, flags: {} })
    await using storage = await openStorage({ dataFolder, complain })
    const now = Date.now()
    if (flags['confirm-clock'] === true) {
      recordWrite('retention --confirm-clock', {}, complain)
      await confirmClock(storage, now)
      print(`The clock is confirmed: ${showMoment(now)}.`)
    }
    const catalogue = await openCatalogue(storage.site)()
    const structure = readStructure(flags['structure'], catalogue)
    const options = { storage, catalogue, structure, now, signal }
    if (isMeant) await requirePlausible(storage, now, config['retention.maxClockJumpHours'])
    const structures = structure === undefined ? {} : { structures: [structure] }
    if (isMeant) recordWrite('retention', structures, complain)
    const counts = await (isMeant ? expireRecords(options) : countExpired(options))
    for (const line of describe(counts)) print(line)
    if (!isMeant && counts.length > 0)
      return print('Nothing was deleted; --yes deletes these records.')
    if (!isMeant) return
    if (counts.length > 0) print('These records were deleted.')
    await reclaimSpace(storage, { signal })
    if (signal.aborted) print('Stopped; run it again for the rest.')
  },
}

async function confirmClock({ clock }: Pick<Storage, 'clock'>, now: number): Promise<void> {
  for (;;) {
    const { version } = (await clock.read()) ?? { version: 0 }
    // Where the service has written its state meanwhile, that one is confirmed.
    if (await clock.write(confirmedAt(now), version)) return
  }
}

/** A command runs too short to prove a clock: it has to fit to what the service has seen. */
async function requirePlausible(
  { clock }: Pick<Storage, 'clock'>,
  now: number,
  hours: number,
): Promise<void> {
  const { state } = (await clock.read()) ?? { state: UNKNOWN_CLOCK }
  const { trusted, doubted } = followClock(state, { now, elapsed: 0, tolerance: hours * HOUR })
  if (doubted === null) return
  const seen =
    trusted === null
      ? 'no running service has confirmed it yet'
      : `the last trusted time is ${showMoment(trusted.instant)}`
  throw new RefusedError(
    'unavailable',
    `The clock says ${showMoment(now)}, but ${seen}. If the clock is right, add --confirm-clock.`,
  )
}

function describe(counts: readonly Expired[]): string[] {
  if (counts.length === 0) return ['No records are past their term.']
  const rows = counts.map(({ structure, theme, raw, vibration, traffic }) =>
    [structure, theme, raw, vibration, traffic].map(String),
  )
  return formatTable(['structure', 'theme', 'raw', 'vibration', 'traffic'], rows)
}
