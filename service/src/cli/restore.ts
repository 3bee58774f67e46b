import { access, constants, readdir } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { readId } from '../backup/backup-folder.ts'
import { writeToken } from '../backup/backup-marks.ts'
import { isContinuousCopy } from '../backup/continuous/restore-copy.ts'
import { findExposure } from '../backup/exposed-folder.ts'
import { findBackup, listBackups, type BackupEntry } from '../backup/find-backups.ts'
import { requireReadable, restoreBackup } from '../backup/restore-backup.ts'
import { finishRestoring, requireNoData } from '../backup/restoring-folder.ts'
import { skipLostIds } from '../backup/skip-lost-ids.ts'
import type { Config } from '../config/settings.ts'
import { RECORD_KINDS } from '../domain/records/record-sources.ts'
import { DamageError } from '../errors/damage-error.ts'
import { RefusedError } from '../errors/refused-error.ts'
import { countOf, momentOf } from '../errors/show.ts'
import { codeOf } from '../errors/thrown.ts'
import { usesPostgres } from '../startup/storage-settings.ts'
import { describeUrl } from '../storage/postgres/connection/storage-url.ts'
import { openSqlite } from '../storage/sqlite/open.ts'
import type { Storage } from '../storage/storage.ts'
import { printResult, readText, UsageError, type Command, type CommandContext } from './command.ts'
import { describeSettings } from './describe-settings.ts'
import { describe, inspectAll, type DoctorReport } from './doctor.ts'
import { loadSettings } from './load-settings.ts'
import { openStorage } from './open.ts'
import { Progress, showBytes } from './progress.ts'
import { readMoment, requirePast } from './read-moment.ts'
import { requireUndamaged } from './require-undamaged.ts'
import { listCopy, restoreFromCopy } from './restore-copy.ts'
import { formatTable } from './table.ts'

export const restore: Command = {
  summary: 'restore a backup or a continuous copy into an empty data folder',
  usage: 'plumbline restore DIR [--at TIME] [--accept-damage] [--list] [--json]',
  help: `DIR is one backup, a folder of backups, or the folder of a continuous copy (backup.continuous.to). The newest
state in it is restored. The data folder (--data) must be empty or missing: nothing is overwritten. Before the
command says that it is done, it compares the checksums of all that it reads and checks the database as
"plumbline doctor" does. Then start the service with the data folder: it has the same certificate, keys,
applications, tokens and alarms, unless the backup was made without secrets.
A backup of PostgreSQL needs an empty database, which --storage names, and pg_restore of the
machine. A backup of an older program is migrated. After an interruption the same command begins anew;
a database has to be emptied first, if it has tables by then.

  --at TIME         restore what was stored at this moment: 2026-03-01T12:00 in the time of this machine, or
                    2026-03-01T12:00:00+08:00, as --list prints it. Of backups it is the last one before.
                    A moment in the future is refused
  --accept-damage   restore a backup of data that was damaged before, which is refused otherwise
  --list            list the backups of DIR, or the moments of a continuous copy, and restore none
  --json            print JSON, with moments in UTC: {"backup", "instant", "records", "checked"}, with --list
                    {"backups", "damaged"}; of a continuous copy {"copy", "instant", "pieces", "files",
                    "checked"}, with --list {"copies"}`,
  options: {
    at: { type: 'string' },
    'accept-damage': { type: 'boolean' },
    list: { type: 'boolean' },
    json: { type: 'boolean' },
  },

  async run(context) {
    const [path, ...others] = context.positionals
    if (path === undefined || others.length > 0)
      throw new UsageError(
        'restore needs one backup, a folder of backups, or the folder of a continuous copy',
      )
    const at = readMoment(readText(context.flags, 'at'))
    const isList = context.flags['list'] === true
    await requireOpen(path)
    if (!isList) await warnOfChanges(context, path)
    if (await isContinuousCopy(path))
      return isList ? await listCopy(context, path) : await restoreFromCopy(context, path, at)
    if (isList) return await list(context, path)
    await requireNoData(context.dataFolder)
    const newest = await findBackup(path)
    if (at !== undefined) requirePast(at, { path, newest: instantOf(newest) })
    const entry = at === undefined ? newest : await findBackup(path, at)
    requireReadable(entry)
    const config = await loadSettings(context)
    requireSameEngine(entry, usesPostgres(config))
    await restoreEntry(context, config, entry)
  },
}

/** Refuses a folder that is missing, or that root has made for itself. */
async function requireOpen(path: string): Promise<void> {
  const names = await readdir(path).catch((error: unknown) => {
    throw refuse(path, error)
  })
  for (const file of names.filter((name) => name !== 'lost+found').map((name) => join(path, name)))
    await access(file, constants.R_OK).catch((error: unknown) => {
      throw refuse(file, error)
    })
}

function refuse(path: string, error: unknown): unknown {
  if (codeOf(error) === 'ENOENT')
    return new RefusedError('absent', `The folder ${path} does not exist. Check its name.`)
  if (codeOf(error) !== 'EACCES') return error
  const user = process.getuid?.() ?? 'this user'
  return new RefusedError(
    'forbidden',
    `${path} cannot be read by this user (${user}). Give this user the whole folder of backups: chown -R ${user}.`,
  )
}

/** Checksums show damage, not intent: they lie beside what they are of. */
async function warnOfChanges(
  { dataFolder, printError }: CommandContext,
  path: string,
): Promise<void> {
  // A folder that is missing is named by whoever reads it.
  const exposure = await findExposure(path, dataFolder).catch(() => undefined)
  if (exposure === undefined) return
  printError(
    `Others may have changed what is restored from ${path}, since ${exposure.cause}: go on only where you trust them.`,
  )
}

async function list(context: CommandContext, path: string): Promise<void> {
  const found = await listBackups(path)
  const damaged = found.damaged.map(({ folder, problem }) => ({ backup: folder, problem }))
  const backups = found.backups.map(({ folder, manifest }) => {
    const { instant, engine, program, records, bytes, withoutSecrets } = manifest
    return { backup: folder, instant, engine, program, records, bytes, withoutSecrets }
  })
  const rows = backups.map(({ backup, instant, records, bytes, withoutSecrets }) => [
    backup,
    momentOf(Date.parse(instant)),
    (records.theme + records.raw).toLocaleString('en'),
    bytes.toLocaleString('en'),
    withoutSecrets ? 'without secrets' : '',
  ])
  printResult(context, { backups, damaged }, [
    ...(backups.length === 0
      ? [`There is no whole backup in ${path}.`]
      : formatTable(['backup', 'data of', 'records', 'bytes written', ''], rows)),
    ...damaged.map(({ problem }) => problem),
  ])
}

const instantOf = ({ manifest }: BackupEntry): number => Date.parse(manifest.instant)

/** Refuses a dump without a database, and the backup of a data folder with one. */
function requireSameEngine({ folder, manifest }: BackupEntry, isServer: boolean): void {
  if ((manifest.engine === 'postgres') === isServer) return
  throw new RefusedError(
    'invalid',
    isServer
      ? `The backup ${folder} is one of a data folder. Restore it without --storage and storage.url; then "plumbline storage copy" copies it to a database.`
      : `The backup ${folder} is one of PostgreSQL. Name an empty database with --storage.`,
  )
}

async function restoreEntry(
  context: CommandContext,
  config: Config,
  entry: BackupEntry,
): Promise<void> {
  const { dataFolder, signal } = context
  using progress = new Progress('MB checked')
  const building = await restoreBackup(entry, {
    dataFolder,
    signal,
    onProgress: (bytes, total) => showBytes(progress, bytes, total),
  })
  progress[Symbol.dispose]()
  const checked = usesPostgres(config)
    ? await restoreDatabase(context, config, entry)
    : await check(context, entry, building)
  await finishRestoring(building)
  const { instant, records } = entry.manifest
  printResult(context, { backup: entry.folder, instant, records, checked: checked.checked }, [
    ...describe(checked),
    ...describeSettings(context),
    `Restored the data of ${momentOf(instantOf(entry))} to ${dataFolder}. Start the service with --data ${dataFolder}.`,
  ])
}

/** Checks the data folder that was built as `plumbline doctor` does, and against the manifest. */
async function check(
  context: CommandContext,
  entry: BackupEntry,
  building: string,
): Promise<DoctorReport> {
  const { folder, manifest } = entry
  await using storage = await openSqlite(building, {
    migrating: 'allow',
    warn: context.printError,
  })
  const report = await inspectAll(storage, context)
  await requireRecords(storage, entry)
  requireAccepted(context, entry, { report, outcome: 'Nothing was restored. Choose' })
  await skipLostIds(storage, Date.parse(manifest.instant), Date.now())
  await writeToken(storage, readId(dirname(folder)), manifest.token)
  return report
}

/** Restores a dump, and checks the database as `plumbline doctor` does. */
async function restoreDatabase(
  context: CommandContext,
  config: Config,
  entry: BackupEntry,
): Promise<DoctorReport> {
  const { restoreServer } = await import('./backup-postgres.ts')
  await restoreServer(config, entry, context.signal)
  await using storage = await openStorage(context, { config, migrating: 'allow' })
  const report = await inspectAll(storage, context)
  requireAccepted(context, entry, {
    report,
    outcome: `The database ${describeUrl(config['storage.url'])} has it now: empty it. Then choose`,
  })
  await skipLostIds(storage, Date.parse(entry.manifest.instant), Date.now())
  return report
}

function requireAccepted(
  { flags }: CommandContext,
  { folder }: BackupEntry,
  { report, outcome }: { report: DoctorReport; outcome: string },
): void {
  if (flags['accept-damage'] === true) return
  requireUndamaged(
    report,
    `The data in the backup ${folder} was damaged when it was backed up. ${outcome} an earlier backup, or restore this one with --accept-damage.`,
  )
}

/** Compares the records of a restored storage with the manifest. */
async function requireRecords(
  { copying }: Pick<Storage, 'copying'>,
  { folder, manifest }: BackupEntry,
): Promise<void> {
  for (const kind of RECORD_KINDS) {
    const sql = `select (select coalesce(sum(count), 0) from ${kind}_sealed_parts)
      + (select count(*) from ${kind}_records)`
    const [[found] = [0]] = await copying.rows<[number]>(sql)
    if (found !== manifest.records[kind])
      throw new DamageError(
        `The backup ${folder} is damaged: it has ${countOf(found, 'record')} of the kind ${kind} instead of ${manifest.records[kind].toLocaleString('en')}. Nothing was restored. Choose another backup.`,
      )
  }
}
