import { Commits } from '../commit/commits.ts'
import { storingCommits } from '../commit/record-commits.ts'
import { StationDerivation } from '../derivation/station-derivation.ts'
import { rewindAlarms, type RewoundAlarm } from '../alarms/rewind-alarms.ts'
import { SERVICE_SPONSOR } from '../domain/alarms/alarm-lifecycle.ts'
import { RefusedError } from '../errors/refused-error.ts'
import { beginChange, findUnfinished } from '../commit/begin-change.ts'
import { deleteRecords } from '../deletion/delete-records.ts'
import { affectedStations, type DeletedCounts } from '../deletion/deletion-count.ts'
import { chooseTarget, type DeletionTarget } from '../deletion/deletion-target.ts'
import type { Span } from '../derivation/span.ts'
import { previewDeletion } from '../deletion/preview-deletion.ts'
import { requireKnownClock } from '../clock/clock-problem.ts'
import { openCatalogue } from '../storage/current-catalogue.ts'
import type { Storage } from '../storage/storage.ts'
import {
  chooseSubcommand,
  printResult,
  textPrinter,
  UsageError,
  type Command,
  type CommandContext,
} from './command.ts'
import { markChosen } from './mark-records.ts'
import { openStorage } from './open.ts'
import { Progress } from './progress.ts'
import { readChoice, readSpan } from './record-flags.ts'
import { recordWrite } from './record-command.ts'
import { formatTable, showMoment } from './table.ts'

export const records: Command = {
  summary: 'delete records of a window, or mark their values as bad, uncertain or good',
  usage:
    'plumbline records delete|mark --station ID | --sensor UUID | --structure ID [--factor ID] --from TIME --to TIME [--kind KIND] [--quality QUALITY [--item KEY]...] [--yes | --dry-run] [--json]',
  help: `delete   Deletes records of open and sealed days, such as those of a wrong clock. Station records that are derived
from deleted raw records are deleted, too, or recomputed from the remaining ones. Without --yes the records are only
counted, each once: "theme" includes the records of waveforms, and derived records are counted separately.
"plumbline undo" restores deleted records. If the command is interrupted, the same command continues. A running
service applies the deletion immediately.

mark   Marks values as a person says; the mark stays with its value whatever is sent later. Bad values are kept, but
are not in the interface's responses, are not evaluated, and nothing is derived from them. Station values are derived
again from marked raw values. Good values are served and evaluated again, also those that a rule or their sender had
marked. Without --yes the values are only counted; those that have the mark already are not. "plumbline undo" restores
what was there before. If the command is interrupted, the same command continues and counts what was left.

  --quality QUALITY  mark: bad, uncertain or good, with a reason: "bad: cable cut"
  --item KEY         mark: only values of this item; may be given several times
  --station ID      station records and waveforms of this station
  --sensor UUID     raw records of this sensor
  --structure ID    all records of this structure
  --factor ID       only this factor of the structure
  --kind KIND       only theme, raw, vibration or traffic; several joined by commas; mark knows theme and raw
  --from TIME       start of the window: 2036-03-01, "2036-03-01 08:00:00" in the local time of the structure, or
                    2036-03-01T08:00:00+08:00
  --to TIME         end of the window, inclusive; a date means the whole day
  --yes             delete the records, mark the values
  --dry-run         only count, as without --yes
  --json            print JSON: {"records", "alarms", "change"}; mark: {"records", "values", "ended", "restored",
                    "change"}; without --yes the change is null`,
  options: {
    station: { type: 'string' },
    sensor: { type: 'string' },
    structure: { type: 'string' },
    factor: { type: 'string' },
    kind: { type: 'string' },
    quality: { type: 'string' },
    item: { type: 'string', multiple: true },
    from: { type: 'string' },
    to: { type: 'string' },
    yes: { type: 'boolean' },
    'dry-run': { type: 'boolean' },
    json: { type: 'boolean' },
  },
  subcommands: ['delete', 'mark'],

  async run(context) {
    await chooseSubcommand({ delete: deleteChosen, mark: markChosen }, context)(context)
  },
}

async function deleteChosen(context: CommandContext): Promise<void> {
  const { flags, lists } = context
  if (flags['quality'] !== undefined || lists['item'] !== undefined)
    throw new UsageError('records delete knows no --quality and no --item')
  const choice = readChoice(flags, 'records delete')
  await using storage = await openStorage(context)
  if (flags['yes'] === true) await requireKnownClock(storage, Date.now())
  const catalogue = await openCatalogue(storage.site)()
  const target = chooseTarget(catalogue, choice)
  const span = readSpan(flags, target, catalogue)
  await run(storage, context, target, span)
}

async function run(
  storage: Storage,
  context: CommandContext,
  target: DeletionTarget,
  span: Span,
): Promise<void> {
  const { flags, signal, printError } = context
  const recordCommits = storingCommits(storage)
  const parts = {
    catalogue: openCatalogue(storage.site),
    storage,
    commits: recordCommits,
    derivation: new StationDerivation({ data: storage.records, commits: recordCommits }),
  }
  const stations = affectedStations(target)
  const commits = Commits.open({ storage, now: Date.now })
  const { records: counted, left } = await previewDeletion(
    parts,
    { target, span, signal },
    commits.horizon(),
  )
  if (signal.aborted) throw new RefusedError('unavailable', 'Stopped. Nothing was deleted.')
  if (flags['yes'] !== true) {
    const alarms = await rewindAlarms(
      { commits, storage },
      { stations, sponsor: SERVICE_SPONSOR, now: Date.now(), preview: left },
    )
    const note = total(counted) > 0 ? NOTHING_DELETED : []
    const lines = [...describe(counted), ...alarms.map(describeAlarm), ...note]
    return printResult(context, { records: counted, alarms, change: null }, lines)
  }
  const description = `${target.description} from ${showMoment(span.from)} to ${showMoment(span.to)}`
  const newChange = { kind: 'deletion', description } as const
  if (total(counted) === 0 && (await findUnfinished(storage.changes, newChange)) === undefined)
    return printResult(context, { records: counted, alarms: [], change: null }, describe(counted))
  const { id: change, isResumed } = await beginChange(storage.changes, newChange, Date.now())
  await recordWrite(
    storage,
    'records delete',
    { change, structures: [target.structure] },
    printError,
  )
  using progress = new Progress('records')
  const deleted = await deleteRecords(parts, storage.changes, {
    target,
    span,
    change,
    isResumed,
    signal,
    onProgress: (records) => progress.show(records, total(counted)),
  })
  progress[Symbol.dispose]()
  for (const line of describe(deleted)) textPrinter(context)(line)
  if (signal.aborted)
    throw new RefusedError(
      'unavailable',
      `Stopped. Run the same command again to continue, or "plumbline undo ${change}" to restore the deleted records.`,
    )
  const alarms = await rewindAlarms(
    { commits, storage },
    { stations, sponsor: SERVICE_SPONSOR, now: Date.now() },
  )
  await storage.changes.finish(change, Date.now())
  printResult(context, { records: deleted, alarms, change }, [
    ...alarms.map(describeAlarm),
    `Deleted as change ${change}; run "plumbline undo ${change}" to restore the records.`,
  ])
}

const NOTHING_DELETED = ['Nothing was deleted. Add --yes to delete these records.']

const total = ({ theme, raw, vibration, traffic, derived }: DeletedCounts): number =>
  theme + raw + vibration + traffic + derived

function describe(deleted: DeletedCounts): string[] {
  if (total(deleted) === 0) return ['There are no records to delete.']
  const { theme, raw, vibration, traffic, derived } = deleted
  return formatTable(
    ['theme', 'raw', 'vibration', 'traffic', 'derived from raw'],
    [[theme, raw, vibration, traffic, derived].map(String)],
  )
}

const describeAlarm = ({ id, source, level, hasEnded }: RewoundAlarm): string =>
  `Alarm ${id} of station ${source.id} "${source.name}" (level ${level}) ` +
  (hasEnded
    ? 'ends with the records that raised it.'
    : 'stays open; the next record of the station decides.')
