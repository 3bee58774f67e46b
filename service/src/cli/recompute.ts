import { RefusedError } from '../errors/refused-error.ts'
import { zone as zoneOf } from '../domain/time/local-time.ts'
import {
  beginRecomputing,
  listDerived,
  recompute as recomputeRecords,
  type StationDifference,
} from '../derivation/recompute.ts'
import { storingCommits } from '../commit/record-commits.ts'
import { StationDerivation } from '../derivation/station-derivation.ts'
import { requireKnownClock } from '../clock/clock-problem.ts'
import { openCatalogue } from '../storage/current-catalogue.ts'
import { UsageError, type Command } from './command.ts'
import { openStorage } from './open.ts'
import { Progress } from './progress.ts'
import { recordWrite } from './record-command.ts'
import { readStructure } from './read-structure.ts'
import { formatTable } from './table.ts'

export const recompute: Command = {
  summary: 'compute station values anew from the raw values that are kept',
  usage: 'plumbline recompute --structure ID --from TIME --to TIME [--commit]',
  help: `After a parameter changed in the site file, or raw values were corrected. Shows what would change: how
many values, by how much, and which alarms would differ. Nothing is stored without --commit. Records go on
coming in meanwhile. Stopped half way, the same command goes on where it ended; what it stored can be taken
back by "plumbline undo".

  --structure ID   the structure
  --from TIME      local time of the structure, "YYYY-MM-DD HH:mm:ss" or a date
  --to TIME        likewise, inclusive; a date means its end
  --commit         store the result`,
  options: {
    structure: { type: 'string' },
    from: { type: 'string' },
    to: { type: 'string' },
    commit: { type: 'boolean' },
  },

  async run({ dataFolder, flags, signal, print, complain }) {
    await using storage = await openStorage({ dataFolder, complain })
    await requireKnownClock(storage, Date.now())
    const catalogue = openCatalogue(storage.site)
    const structure = readStructure(flags['structure'], await catalogue())
    if (structure === undefined)
      throw new UsageError('--structure is missing: the id of a structure')
    const startTime = readTime('--from', flags['from'], '00:00:00')
    const endTime = readTime('--to', flags['to'], '23:59:59')
    const { zone } = (await catalogue()).structures.get(structure)!
    const span = { from: zone.toInstant(startTime)!, to: zone.toInstant(endTime)! + 999 }
    if (span.from > span.to) throw new UsageError('--from lies after --to')
    if (listDerived(await catalogue(), structure).length === 0)
      return print(`No station of structure ${structure} is computed from raw values.`)

    const commits = storingCommits(storage)
    const derivation = new StationDerivation({ data: storage.records, commits })
    const isCommitted = flags['commit'] === true
    const change = isCommitted
      ? await beginRecomputing(storage.changes, structure, { startTime, endTime }, Date.now())
      : undefined
    if (change !== undefined)
      recordWrite('recompute', { change, structures: [structure] }, complain)
    using progress = new Progress('station days')
    const differences = await recomputeRecords(derivation, {
      catalogue: await catalogue(),
      now: Date.now(),
      structure,
      span,
      change,
      signal,
      onProgress: ({ done, total }) => progress.show(done, total),
    })
    progress[Symbol.dispose]()
    for (const line of describe(differences)) print(line)
    if (signal.aborted)
      throw new RefusedError('unavailable', 'Stopped half way; the same command goes on.')
    if (change === undefined) return print('Nothing was stored; --commit does it.')
    await storage.changes.finish(change, Date.now())
    print(`Stored as change ${change}; "plumbline undo ${change}" takes it back.`)
  },
}

function readTime(flag: string, given: string | boolean | undefined, clock: string): string {
  const text =
    typeof given === 'string' && /^\d{4}-\d{2}-\d{2}$/.test(given) ? `${given} ${clock}` : given
  if (typeof text !== 'string' || zoneOf('UTC').toInstant(text) === undefined)
    throw new UsageError(
      `${flag} must be a date and time that exists, "YYYY-MM-DD HH:mm:ss", or a date`,
    )
  return text
}

function describe(differences: readonly StationDifference[]): string[] {
  const altered = differences.filter(({ changed, added, removed }) => changed + added + removed > 0)
  const looked = differences.reduce((sum, { records }) => sum + records, 0)
  if (altered.length === 0)
    return [
      `${looked} records of ${differences.length} stations are as they follow from the raw values.`,
    ]
  const rows = altered.flatMap(({ station, changed, added, removed, items, alarms }) => {
    const counts = [
      String(station.entry.id),
      station.entry.name,
      String(changed),
      String(added),
      String(removed),
    ]
    const what = [...items].map(
      ([key, { values, largest }]) => `${key}: ${values} values, by up to ${largest}`,
    )
    const alarm = alarms.map(
      ({ alarmTypeCode, level, before, after }) =>
        `alarms ${alarmTypeCode} level ${level}: ${before} before, ${after} after`,
    )
    return [[...counts, [...what, ...alarm].join('; ')]]
  })
  return [
    `${altered.length} of ${differences.length} stations differ, in ${looked} records looked at.`,
    ...formatTable(['station', 'name', 'changed', 'added', 'removed', 'difference'], rows),
  ]
}
