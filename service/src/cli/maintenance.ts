import type { Catalogue } from '../domain/site/catalogue.ts'
import { parseInstant, zone, type Zone } from '../domain/time/local-time.ts'
import { RefusedError } from '../errors/refused-error.ts'
import { showTime } from '../ingest/files/show-time.ts'
import { openCatalogue } from '../storage/current-catalogue.ts'
import type { Storage, StoredMaintenance } from '../storage/storage.ts'
import {
  chooseSubcommand,
  printResult,
  UsageError,
  type Command,
  type CommandContext,
} from './command.ts'
import { openStorage } from './open.ts'
import { readIds } from './read-ids.ts'
import { recordWrite } from './record-command.ts'
import { formatTable, showMoment } from './table.ts'

export const maintenance: Command = {
  summary: 'suppress notifications while work is done',
  usage: 'plumbline maintenance add --from TIME --to TIME --reason TEXT | list | end ID  [--json]',
  help: `In a maintenance window alarms are raised as usual, but their notifications are suppressed and logged.

  add               add a maintenance window and print its number
  list              list current and future windows, newest first
  end ID            end a window now, or cancel it before it begins

  --from TIME       start: 2026-03-01T08:00 in the local time of the structures, or with an
  --to TIME         and end: offset, 2026-03-01T08:00+08:00, which structures of several time
                    zones need; the list shows local times with their offset, or UTC for those
  --reason TEXT     the work that is done
  --structures IDS  structure ids joined by commas; without structures and stations: everything
  --stations IDS    station ids joined by commas; a sensor is included if it feeds only these
  --all             list past windows, too
  --json            print JSON`,
  options: {
    from: { type: 'string' },
    to: { type: 'string' },
    reason: { type: 'string' },
    structures: { type: 'string' },
    stations: { type: 'string' },
    all: { type: 'boolean' },
    json: { type: 'boolean' },
  },
  subcommands: ['add', 'list', 'end'],

  async run(context) {
    const run = chooseSubcommand(ACTIONS, context)
    await using storage = await openStorage(context)
    await run(storage, context)
  },
}

const LIST_MAXIMUM = 10_000

const ACTIONS: Record<string, (storage: Storage, context: CommandContext) => Promise<void>> = {
  async add(storage, { flags, print, printError }) {
    const catalogue = await openCatalogue(storage.site)()
    const structures = readIds('structures', flags['structures'], catalogue.structures)
    const stations = readIds('stations', flags['stations'], catalogue.stations)
    const commonZone = findZone(catalogue, structures, stations)
    const startsAt = readTime('from', flags['from'], commonZone)
    const endsAt = readTime('to', flags['to'], commonZone)
    if (endsAt < startsAt) throw new UsageError('--to must not be before --from')
    const { reason } = flags
    if (typeof reason !== 'string' || reason === '') throw new UsageError('--reason is missing')
    const window = { structures, stations, startsAt, endsAt, reason, createdAt: Date.now() }
    const id = await storage.maintenance.add(window)
    const affected = {
      ...(structures.length === 0 ? {} : { structures }),
      ...(stations.length === 0 ? {} : { stations }),
    }
    await recordWrite(storage, 'maintenance add', { maintenance: id, ...affected }, printError)
    if (flags['json'] === true) return print(JSON.stringify({ id, ...window }))
    const [from, to] = [startsAt, endsAt].map((instant) => showIn(commonZone, instant))
    const place = commonZone === undefined ? '' : ` (${commonZone.name})`
    print(`Maintenance window ${id}: notifications are suppressed from ${from} to ${to}${place}.`)
  },

  async list(storage, { flags, print }) {
    const since = flags['all'] === true ? undefined : Date.now()
    const found = await storage.maintenance.list({ since, limit: LIST_MAXIMUM })
    if (flags['json'] === true) return print(JSON.stringify(found))
    if (found.length === 0) return print('There are no maintenance windows.')
    const catalogue = await openCatalogue(storage.site)()
    const head = ['id', 'from', 'to', 'affects', 'reason', 'ended']
    const rows = found.map((window) =>
      toRow(window, findZone(catalogue, window.structures, window.stations)),
    )
    for (const line of formatTable(head, rows)) print(line)
  },

  async end(storage, context) {
    const [, id = ''] = context.positionals
    if (!/^[1-9]\d{0,9}$/.test(id))
      throw new UsageError('the number of the maintenance window is missing')
    if (!(await storage.maintenance.end(Number(id), Date.now())))
      throw new RefusedError('absent', `There is no current or future maintenance window ${id}.`)
    await recordWrite(storage, 'maintenance end', { maintenance: Number(id) }, context.printError)
    const sentence = `Maintenance window ${id} was ended.`
    printResult(context, { id: Number(id), isEnded: true }, [sentence])
  },
}

function toRow(window: StoredMaintenance, commonZone: Zone | undefined): string[] {
  const { id, startsAt, endsAt, reason, endedAt } = window
  return [
    String(id),
    showIn(commonZone, startsAt),
    endsAt < startsAt ? 'cancelled' : showIn(commonZone, endsAt),
    describe(window),
    reason,
    endedAt === null ? '' : showIn(commonZone, endedAt),
  ]
}

/** A time of a window, to the second: local with its offset, or in UTC where zones differ. */
const showIn = (commonZone: Zone | undefined, instant: number): string =>
  commonZone === undefined
    ? showMoment(instant)
    : showTime(Math.floor(instant / 1000) * 1000, commonZone)

function describe({ structures, stations }: Pick<StoredMaintenance, 'structures' | 'stations'>) {
  const parts = [
    ...(structures.length === 0 ? [] : [`structures ${structures.join(', ')}`]),
    ...(stations.length === 0 ? [] : [`stations ${stations.join(', ')}`]),
  ]
  return parts.length === 0 ? 'everything' : parts.join('; ')
}

/** The time zone that all structures of a window have; undefined where they differ. */
function findZone(
  catalogue: Catalogue,
  structures: readonly number[],
  stations: readonly number[],
): Zone | undefined {
  const isEverything = structures.length === 0 && stations.length === 0
  const ids = isEverything ? catalogue.structures.keys() : structures
  const zones = new Set([
    ...Array.from(ids, (id) => catalogue.structures.get(id)?.zone),
    ...stations.map((id) => catalogue.stations.get(id)?.structure.zone),
  ])
  const [only] = zones
  return zones.size === 1 ? only : undefined
}

function readTime(
  name: string,
  flag: CommandContext['flags'][string],
  commonZone: Zone | undefined,
): number {
  if (typeof flag !== 'string') throw new UsageError(`--${name} is missing`)
  const hasOffset = /(Z|[+-]\d{2}:?\d{2})$/.test(flag.slice(10))
  if (commonZone === undefined && !hasOffset)
    throw new UsageError(
      `--${name} needs an offset such as +08:00, because the structures have different time zones`,
    )
  const instant = parseInstant(flag, commonZone ?? zone('UTC'))
  if (instant === undefined)
    throw new UsageError(
      `--${name} must be a time such as 2026-03-01T08:00 or 2026-03-01T08:00+08:00`,
    )
  return instant
}
