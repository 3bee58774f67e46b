import { RefusedError } from '../errors/refused-error.ts'
import type { Zone } from '../domain/time/local-time.ts'
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
import { printResult, textPrinter, UsageError, type Command } from './command.ts'
import { openStorage } from './open.ts'
import { Progress } from './progress.ts'
import { recordWrite } from './record-command.ts'
import { readStructure } from './read-structure.ts'
import { formatTable } from './table.ts'
import { countOf } from '../errors/show.ts'
import { LAST_MILLISECOND } from '../domain/time/wall-clock.ts'

export const recompute: Command = {
  summary: 'recompute station values from the stored raw values',
  usage: 'plumbline recompute --structure ID --from TIME --to TIME [--commit] [--json]',
  help: `Run this command after a parameter was changed in the site file or raw values were corrected. It shows
which values differ and by how much, and which alarms would differ. Without --commit nothing is stored. Records can
be ingested meanwhile. If it is interrupted, the same command continues. "plumbline undo" undoes it.

  --structure ID   the structure
  --from TIME      start of the window, local time of the structure: "YYYY-MM-DD HH:mm:ss" or a date
  --to TIME        end of the window, inclusive; a date means the whole day
  --commit         store the result
  --json           print JSON: {"stations", "change"}, with the differences of each station`,
  options: {
    structure: { type: 'string' },
    from: { type: 'string' },
    to: { type: 'string' },
    commit: { type: 'boolean' },
    json: { type: 'boolean' },
  },

  async run(context) {
    const { flags, signal, printError } = context
    const print = textPrinter(context)
    await using storage = await openStorage(context)
    await requireKnownClock(storage, Date.now())
    const catalogue = openCatalogue(storage.site)
    const structure = readStructure(flags['structure'], await catalogue())
    if (structure === undefined)
      throw new UsageError('recompute needs --structure with a structure id')
    const { zone, entry } = structure
    const start = readTime('--from', flags['from'], '00:00:00', zone)
    const end = readTime('--to', flags['to'], '23:59:59', zone)
    const span = { from: start.instant, to: end.instant + LAST_MILLISECOND }
    if (span.from > span.to) throw new UsageError('--from must not be after --to')
    if (listDerived(await catalogue(), entry.id).length === 0)
      return printResult(context, { stations: [], change: null }, [
        `No station of structure ${entry.id} is computed from raw values.`,
      ])

    const commits = storingCommits(storage)
    const derivation = new StationDerivation({ data: storage.records, commits })
    const isCommitted = flags['commit'] === true
    const change = isCommitted
      ? await beginRecomputing(
          storage.changes,
          entry.id,
          { startTime: start.text, endTime: end.text },
          Date.now(),
        )
      : undefined
    if (change !== undefined)
      await recordWrite(storage, 'recompute', { change, structures: [entry.id] }, printError)
    using progress = new Progress('station days')
    const differences = await recomputeRecords(derivation, {
      catalogue: await catalogue(),
      now: Date.now(),
      structure: entry.id,
      span,
      change,
      signal,
      onProgress: ({ done, total }) => progress.show(done, total),
    })
    progress[Symbol.dispose]()
    const stations = differences.map(toJson)
    printResult(context, { stations, change: change ?? null }, describe(differences))
    if (signal.aborted)
      throw new RefusedError('unavailable', 'Stopped. Run the same command again to continue.')
    if (change === undefined) return print('Nothing was stored. Add --commit to store the result.')
    await storage.changes.finish(change, Date.now())
    print(`Stored as change ${change}; run "plumbline undo ${change}" to undo it.`)
  },
}

/** A local time with its instant; `timeOfDay` completes a date. */
function readTime(
  name: string,
  flag: string | boolean | undefined,
  timeOfDay: string,
  zone: Zone,
): { text: string; instant: number } {
  const isDate = typeof flag === 'string' && /^\d{4}-\d{2}-\d{2}$/.test(flag)
  const text = isDate ? `${flag} ${timeOfDay}` : String(flag ?? '')
  const instant = zone.toInstant(text)
  if (instant === undefined)
    throw new UsageError(`${name} must be a valid time, "YYYY-MM-DD HH:mm:ss", or a date`)
  return { text, instant }
}

const toJson = ({ station, items, ...counts }: StationDifference) => ({
  station: station.entry.id,
  name: station.entry.name,
  ...counts,
  items: Object.fromEntries(items),
})

function describe(differences: readonly StationDifference[]): string[] {
  const differing = differences.filter(
    ({ changed, added, removed }) => changed + added + removed > 0,
  )
  const checked = differences.reduce((sum, { records }) => sum + records, 0)
  if (differing.length === 0)
    return [
      `Checked ${countOf(checked, 'record')} of ${countOf(differences.length, 'station')}: no differences.`,
    ]
  const rows = differing.flatMap(({ station, changed, added, removed, items, alarms }) => {
    const counts = [
      String(station.entry.id),
      station.entry.name,
      String(changed),
      String(added),
      String(removed),
    ]
    const values = [...items].map(
      ([key, item]) =>
        `${key}: ${countOf(item.values, 'value')}, largest difference ${Number(item.largest.toPrecision(6))}`,
    )
    const alarm = alarms.map(
      ({ alarmTypeCode, level, before, after }) =>
        `alarms ${alarmTypeCode} level ${level}: ${before} before, ${after} after`,
    )
    return [[...counts, [...values, ...alarm].join('; ')]]
  })
  return [
    `Checked ${countOf(checked, 'record')} of ${countOf(differences.length, 'station')}; ${countOf(differing.length, 'station')} with differences.`,
    ...formatTable(['station', 'name', 'changed', 'added', 'removed', 'difference'], rows),
  ]
}
