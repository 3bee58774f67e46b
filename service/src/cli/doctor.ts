import type { Config } from '../config/settings.ts'
import { Catalogue } from '../domain/site/catalogue.ts'
import { RefusedError } from '../errors/refused-error.ts'
import { DamageError } from '../errors/damage-error.ts'
import { codeOf, toError } from '../errors/thrown.ts'
import { usesPostgres } from '../startup/storage-settings.ts'
import { openCatalogue } from '../storage/current-catalogue.ts'
import { isMalformed } from '../storage/sqlite/connection/sqlite-errors.ts'
import { describeUnfinished } from '../storage/sql/copy/copy-marks.ts'
import type { Storage } from '../storage/storage.ts'
import type { Command, CommandContext } from './command.ts'
import { inspectOpen, inspectSealed, inspectWaveforms, runCheck } from './doctor-checks.ts'
import { countPlaces, formatFindings, type Finding } from './findings.ts'
import { loadSettings } from './load-settings.ts'
import { openStorage } from './open.ts'
import { Progress } from './progress.ts'
import { countOf } from '../errors/show.ts'

export const doctor: Command = {
  summary: 'check all stored data for damage',
  usage: 'plumbline doctor [--rebuild-indexes] [--json]',
  help: `Checks the database file, the checksums, counts and bounds of all sealed days, and the checksums of open
records, waveforms and all other tables that hold data. Prints a line for each damage of a table, station or sensor,
with the days. Exits with 0 if there is no damage, otherwise with 1. Without a flag nothing is changed, and the
service may be running.

With PostgreSQL it first checks the connection, the versions of the server and the tables, the settings of the
server with which records may be lost, and the rights of the role. The server checks its own files.

  --rebuild-indexes   rebuild indexes and counts that do not match their rows. Stop the
                      service first.
  --json              print JSON, with each damaged day of each station`,
  options: { 'rebuild-indexes': { type: 'boolean' }, json: { type: 'boolean' } },

  async run(context) {
    const { flags, print } = context
    const isJson = flags['json'] === true
    const config = await loadSettings(context)
    const server = usesPostgres(config) ? await checkServer(config, isJson, print) : undefined
    await using storage = await openForChecks(context, config)
    const rebuilt = flags['rebuild-indexes'] === true ? await storage.rebuildIndexes() : undefined
    if (rebuilt !== undefined && !isJson) print(`Rebuilt indexes and counts: ${rebuilt}.`)
    const report = await inspectAll(storage, context)
    if (isJson) print(JSON.stringify({ ...(server && { server }), ...report, rebuilt }))
    else for (const line of describe(report)) print(line)
    const remedies = [
      ...findRemedies(report, server === undefined ? 'data folder' : 'database'),
      (await describeUnfinished(storage.copying)) ?? [],
    ].flat()
    if (remedies.length > 0) throw new RefusedError('unavailable', remedies.join(' '))
  },
}

/** Checks the server of the database, and prints what is found unless the result is JSON. */
async function checkServer(
  config: Config,
  isJson: boolean,
  print: CommandContext['print'],
): Promise<object> {
  const { describeServer, inspectServer } = await import('./doctor-postgres.ts')
  const report = await inspectServer(config)
  if (!isJson) for (const line of describeServer(report)) print(line)
  return report
}

export type DoctorReport = {
  findings: Finding[]
  /** Sentences about indexes and counts that do not match their rows. */
  stale: readonly string[]
  checked: {
    sealedDays: number
    sealedRecords: number
    openRecords: number
    waveforms: number
    samples: number
  }
}

/** Checks all data of a storage. */
export async function inspectAll(
  storage: Storage,
  { signal }: Pick<CommandContext, 'signal'>,
): Promise<DoctorReport> {
  const { damaged, stale } = await storage.inspect()
  const findings: Finding[] = damaged.map((damage) => ({ damage }))
  const catalogue = await readCatalogue(storage, findings)
  const context = { storage, catalogue, findings, signal }
  using progress = new Progress('sealed days')
  const sealed = await inspectSealed(context, progress)
  progress[Symbol.dispose]()
  const openRecords = await inspectOpen(context)
  const { count: waveforms, samples } = await inspectWaveforms(context)
  const { parts: sealedDays, records: sealedRecords } = sealed
  const checked = { sealedDays, sealedRecords, openRecords, waveforms, samples }
  return { findings, stale, checked }
}

/** What was found and checked, as lines. */
export function describe({ findings, stale, checked }: DoctorReport): string[] {
  const { sealedDays, sealedRecords, openRecords, waveforms, samples } = checked
  return [
    ...formatFindings(findings),
    ...stale,
    `Checked ${countOf(sealedDays, 'sealed day')} with ${countOf(sealedRecords, 'intact record')}.`,
    ...(openRecords === 0
      ? []
      : [`Checked ${countOf(openRecords, 'intact record')} of open days.`]),
    ...(waveforms === 0
      ? []
      : [`Checked ${countOf(waveforms, 'waveform')} with ${countOf(samples, 'intact sample')}.`]),
  ]
}

function findRemedies({ findings, stale }: DoctorReport, what: string): string[] {
  const places = countOf(countPlaces(findings), 'place')
  return [
    ...(findings.length === 0
      ? []
      : [`Found damage in ${places}. Restore the ${what} from a backup.`]),
    ...(stale.length === 0
      ? []
      : ['Stop the service and run "plumbline doctor --rebuild-indexes".']),
  ]
}

/** Opens the storage; a database that cannot be opened is damage. */
async function openForChecks(context: CommandContext, config: Config): Promise<Storage> {
  try {
    return await openStorage(context, {
      config,
      mayBeRewriting: true,
      mayBeCopied: true,
      mayBeRemote: true,
    })
  } catch (error) {
    if (!(error instanceof DamageError) && !isMalformed(codeOf(error))) throw error
    const { message } = toError(error)
    throw new DamageError(
      `${message} SQLite cannot open it, so nothing could be checked. Stop the service and move the file away together with its -wal and -shm files before you restore a backup.`,
    )
  }
}

/** The site, for the names of stations and sensors; an empty one where it is damaged. */
async function readCatalogue(storage: Storage, findings: Finding[]): Promise<Catalogue> {
  let catalogue = NO_SITE
  await runCheck(findings, async () => {
    catalogue = await openCatalogue(storage.site)()
  })
  return catalogue
}

const NO_SITE = new Catalogue({
  version: 0,
  entries: [],
  defaultGroups: [],
  sensorKeys: new Map(),
})
