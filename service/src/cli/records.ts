import { Commits } from '../commit/commits.ts'
import { storingCommits } from '../commit/record-commits.ts'
import { StationDerivation } from '../derivation/station-derivation.ts'
import { rewindAlarms, type RewoundAlarm } from '../alarms/rewind-alarms.ts'
import { SERVICE_SPONSOR } from '../domain/alarms/alarm-lifecycle.ts'
import type { Catalogue } from '../domain/site/catalogue.ts'
import { RETAINED_KINDS } from '../domain/records/record-sources.ts'
import { RefusedError } from '../errors/refused-error.ts'
import type { RetainedKind } from '../domain/retention/retention-period.ts'
import { beginChange, findUnfinished } from '../commit/begin-change.ts'
import { deleteRecords } from '../deletion/delete-records.ts'
import { affectedStations, type Deleted } from '../deletion/deletion-count.ts'
import {
  chooseTarget,
  type DeletionChoice,
  type DeletionTarget,
} from '../deletion/deletion-target.ts'
import { previewDeletion } from '../deletion/preview-deletion.ts'
import { requireKnownClock } from '../clock/clock-problem.ts'
import { openCatalogue } from '../storage/current-catalogue.ts'
import type { Storage } from '../storage/storage.ts'
import { UsageError, type Command, type CommandContext } from './command.ts'
import { readEnd, readStart } from './export-flags.ts'
import { openStorage } from './open.ts'
import { Progress } from './progress.ts'
import { recordWrite } from './record-command.ts'
import { formatTable, showMoment } from './table.ts'

export const records: Command = {
  summary: 'delete records, such as those that a wrong clock left',
  usage:
    'plumbline records delete --station ID | --sensor UUID | --structure ID [--factor ID] --from TIME --to TIME [--kind KIND] [--yes | --dry-run]',
  help: `Deletes records of open and sealed days. Station values that are computed from raw values go with these,
or are computed anew from what is left. Without --yes the records are only counted, each once: "theme" has
no station values that are derived from raw ones, and has those of waveforms. "plumbline undo" restores
them; stopped half way, the same command goes on. A running service notices.

  --station ID      station values and waveforms of this station
  --sensor UUID     raw values of this sensor
  --structure ID    everything of this structure
  --factor ID       of the structure's factor only
  --kind KIND       theme, raw, vibration or traffic only; several joined by commas
  --from TIME       2036-03-01, "2036-03-01 08:00:00" or 2036-03-01T08:00:00+08:00, local time of the structure
                    where it has no offset
  --to TIME         likewise, inclusive; a date means its end
  --yes             delete them
  --dry-run         only count them, as without --yes`,
  options: {
    station: { type: 'string' },
    sensor: { type: 'string' },
    structure: { type: 'string' },
    factor: { type: 'string' },
    kind: { type: 'string' },
    from: { type: 'string' },
    to: { type: 'string' },
    yes: { type: 'boolean' },
    'dry-run': { type: 'boolean' },
  },

  async run(context) {
    const { positionals, flags } = context
    if (positionals[0] !== 'delete') throw new UsageError('records takes delete')
    if (flags['yes'] === true && flags['dry-run'] === true)
      throw new UsageError('give --yes or --dry-run, not both')
    const choice = readChoice(flags)
    await using storage = await openStorage(context)
    if (flags['yes'] === true) await requireKnownClock(storage, Date.now())
    const catalogue = await openCatalogue(storage.site)()
    const target = chooseTarget(catalogue, choice)
    const span = readSpan(flags, target, catalogue)
    await run(storage, context, target, span)
  },
}

type Span = { from: number; to: number }

async function run(
  storage: Storage,
  { flags, signal, print, complain }: CommandContext,
  target: DeletionTarget,
  span: Span,
): Promise<void> {
  const storing = storingCommits(storage)
  const parts = {
    catalogue: openCatalogue(storage.site),
    storage,
    commits: storing,
    derivation: new StationDerivation({ data: storage.records, commits: storing }),
  }
  const stations = affectedStations(target)
  const commits = Commits.open({ storage, now: Date.now })
  const { records: counted, left } = await previewDeletion(
    parts,
    { target, span, signal },
    commits.horizon(),
  )
  if (signal.aborted) throw new RefusedError('unavailable', 'Stopped; nothing was deleted.')
  if (flags['yes'] !== true) {
    for (const line of describe(counted)) print(line)
    const would = await rewindAlarms(
      { commits, storage },
      { stations, sponsor: SERVICE_SPONSOR, now: Date.now(), preview: left },
    )
    for (const alarm of would) print(describeAlarm(alarm))
    if (total(counted) > 0) print('Nothing was deleted; --yes deletes these records.')
    return
  }
  const description = `${target.description} from ${showMoment(span.from)} to ${showMoment(span.to)}`
  const begun = { kind: 'deletion', description } as const
  if (total(counted) === 0 && (await findUnfinished(storage.changes, begun)) === undefined)
    return print(describe(counted).join())
  const { id: change, isResumed } = await beginChange(storage.changes, begun, Date.now())
  recordWrite('records delete', { change, structures: [target.structure] }, complain)
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
  for (const line of describe(deleted)) print(line)
  if (signal.aborted)
    throw new RefusedError(
      'unavailable',
      `Stopped half way; the same command goes on, and "plumbline undo ${change}" restores what went.`,
    )
  const rewound = await rewindAlarms(
    { commits, storage },
    { stations, sponsor: SERVICE_SPONSOR, now: Date.now() },
  )
  await storage.changes.finish(change, Date.now())
  for (const alarm of rewound) print(describeAlarm(alarm))
  print(`Deleted as change ${change}; "plumbline undo ${change}" restores them.`)
}

function readChoice(flags: CommandContext['flags']): DeletionChoice {
  const named = ['station', 'sensor', 'structure'].filter((flag) => flags[flag] !== undefined)
  if (named.length !== 1)
    throw new UsageError('records delete needs one of --station, --sensor and --structure')
  if (flags['factor'] !== undefined && flags['structure'] === undefined)
    throw new UsageError('--factor goes with --structure only')
  return {
    station: readId('--station', flags['station']),
    sensor: flags['sensor'] as string | undefined,
    structure: readId('--structure', flags['structure']),
    factor: readId('--factor', flags['factor']),
    kinds: readKinds(flags['kind']),
  }
}

function readId(name: string, flag: string | boolean | undefined): number | undefined {
  if (flag === undefined) return undefined
  if (!/^[1-9]\d{0,9}$/.test(String(flag))) throw new UsageError(`${name} must be an id`)
  return Number(flag)
}

function readKinds(flag: string | boolean | undefined): RetainedKind[] | undefined {
  if (flag === undefined) return undefined
  return String(flag)
    .split(',')
    .map((name) => {
      const kind = RETAINED_KINDS.find((one) => one === name.trim())
      if (kind === undefined)
        throw new UsageError(`--kind must be of ${RETAINED_KINDS.join(', ')}, joined by commas`)
      return kind
    })
}

function readSpan(
  flags: CommandContext['flags'],
  { structure }: DeletionTarget,
  { structures }: Catalogue,
): Span {
  const { zone } = structures.get(structure)!
  for (const name of ['from', 'to'])
    if (flags[name] === undefined)
      throw new UsageError(`records delete needs --${name} with a time`)
  const from = readStart('--from', flags['from'], zone)
  const to = readEnd('--to', flags['to'], zone)
  if (from > to) throw new UsageError('--from lies after --to')
  return { from, to }
}

const total = ({ theme, raw, vibration, traffic, derived }: Deleted): number =>
  theme + raw + vibration + traffic + derived

function describe(deleted: Deleted): string[] {
  if (total(deleted) === 0) return ['There are no such records.']
  const { theme, raw, vibration, traffic, derived } = deleted
  return formatTable(
    ['theme', 'raw', 'vibration', 'traffic', 'derived from raw'],
    [[theme, raw, vibration, traffic, derived].map(String)],
  )
}

/** The same words before and after. */
const describeAlarm = ({ id, source, level, hasEnded }: RewoundAlarm): string =>
  `Alarm ${id} of station ${source.id} "${source.name}" (level ${level}) ` +
  (hasEnded
    ? 'ends with the records that raised it.'
    : 'stays open; the next record of the station decides.')
