import { closeSync, openSync } from 'node:fs'
import { getPriority, setPriority } from 'node:os'
import { join } from 'node:path'
import { BackupFolder, findBackup, listBackups, type BackupEntry } from '../backup/backup-folder.ts'
import { copyDataFolder } from '../backup/copy-data-folder.ts'
import { makeBackup, type MakeBackup } from '../backup/make-backup.ts'
import { verifyBackup } from '../backup/verify-backup.ts'
import { findSettingsFile } from '../config/load.ts'
import type { Config } from '../config/settings.ts'
import { countOf } from '../errors/show.ts'
import { usesPostgres } from '../startup/storage-settings.ts'
import { DATABASE_FILE } from '../storage/sqlite/connection/main-connection.ts'
import { printResult, readText, UsageError, type Command, type CommandContext } from './command.ts'
import { loadSettings } from './load-settings.ts'
import { openStorage } from './open.ts'
import { Progress } from './progress.ts'
import { readVersion } from './version.ts'

const MEGABYTE = 1_000_000
const HOUR = 3_600_000
const LOW_PRIORITY = 10

export const backup: Command = {
  summary: 'back up all data to another folder',
  usage:
    'plumbline backup DIR [--verify | --verify-only] [--keep N] [--every HOURS] [--without-secrets] [--json]',
  help: `Makes a backup in a folder of its own below DIR, named by its UTC time, while the service goes on. It holds the
database with all records, waveforms and alarms, the settings file, and the folders "secrets" and "tls".
With PostgreSQL it holds a dump of the database, made by pg_dump of the machine.
Sealed days, waveforms and pictures that an earlier backup in DIR has are not copied again. DIR is a folder
outside the data folder, empty or with backups; its parent must exist.

With the settings backup.to, backup.everyHours and backup.keep a running service makes backups by itself.

  --verify            read what earlier backups share before it is used again, and the new backup when it
                      is made, and compare the checksums; what is damaged is copied anew
  --verify-only       check the newest backup of DIR, or the backup DIR, and make none
  --keep N            then remove all but the newest N backups of DIR
  --every HOURS       make none if the newest of DIR is younger, and print that one
  --without-secrets   leave out the folders "secrets" and "tls", and the settings file, which may hold passwords.
                      Who logs in, and the hashes of tokens and keys, are in the database all the same
  --json              print JSON: {"backup", "isNew", "instant", "ended", "records", "bytes", "seconds",
                      "isVerified", "removed"}`,
  options: {
    verify: { type: 'boolean' },
    'verify-only': { type: 'boolean' },
    keep: { type: 'string' },
    every: { type: 'string' },
    'without-secrets': { type: 'boolean' },
    json: { type: 'boolean' },
  },

  async run(context) {
    const { flags, positionals } = context
    const [path, ...others] = positionals
    if (path === undefined || others.length > 0)
      throw new UsageError('backup needs one folder, such as /mnt/backup/plumbline')
    const keep = readKeep(readText(flags, 'keep'))
    if (flags['verify-only'] === true) return await verifyOnly(context, path)
    const every = readEvery(readText(flags, 'every'))
    const recent = every === undefined ? undefined : await findRecent(path, every)
    const isVerified = flags['verify'] === true
    if (recent !== undefined) {
      if (isVerified) await verify(context, recent)
      return report(context, recent, { isNew: false, isVerified, removed: [] })
    }
    const config = await loadSettings(context)
    lowerPriority()
    const { entry, removed } = await make(context, config, path, keep)
    if (isVerified) await verify(context, entry)
    report(context, entry, { isNew: true, isVerified, removed })
  },
}

/** The newest backup of a folder, if the instant of its data is not so many hours ago. */
async function findRecent(path: string, hours: number): Promise<BackupEntry | undefined> {
  const newest = await listBackups(path).then(
    ({ backups }) => backups.at(-1),
    () => undefined,
  )
  if (newest === undefined) return undefined
  return Date.now() - Date.parse(newest.manifest.instant) < hours * HOUR ? newest : undefined
}

async function make(
  context: CommandContext,
  config: Config,
  path: string,
  keep: number | undefined,
): Promise<{ entry: BackupEntry; removed: string[] }> {
  const { dataFolder, configFile, flags, signal } = context
  await using stack = new AsyncDisposableStack()
  using progress = stack.use(new Progress('MB'))
  const open = usesPostgres(config) ? openServer : openFolder
  const { folder, copyDatabase } = await open({ context, config, path, stack, progress })
  for (const { problem } of (await listBackups(folder.path)).damaged)
    context.printError(`${problem} Nothing that it may need is removed while its folder is there.`)
  const entry = await makeBackup({
    folder,
    copyDatabase,
    dataFolder,
    settingsFile: findSettingsFile(dataFolder, configFile).name,
    mappings: config['ingest.folders'].map(({ mapping }) => mapping),
    withoutSecrets: flags['without-secrets'] === true,
    program: readVersion(),
    signal,
    now: Date.now,
  })
  return { entry, removed: keep === undefined ? [] : await folder.removeOld(keep) }
}

type Opening = {
  context: CommandContext
  config: Config
  path: string
  stack: AsyncDisposableStack
  progress: Progress
}

type OpenedSource = Pick<MakeBackup, 'folder' | 'copyDatabase'>

async function openFolder({
  context,
  config,
  path,
  stack,
  progress,
}: Opening): Promise<OpenedSource> {
  const { dataFolder, signal, printError } = context
  const descriptor = openDatabase(dataFolder)
  // Closed last: closing it would release the locks of the connections of this process.
  if (descriptor !== undefined) stack.defer(() => closeSync(descriptor))
  const storage = stack.use(await openStorage(context, { config, mayBeRewriting: true }))
  if (descriptor === undefined) throw new Error('the database was made meanwhile')
  const folder = stack.use(await BackupFolder.open(path, dataFolder))
  const copy = {
    folder,
    storage,
    dataFolder,
    descriptor,
    isVerified: context.flags['verify'] === true,
    signal,
    now: Date.now,
    onProgress: (bytes: number, total: number) => showBytes(progress, bytes, total),
    warn: printError,
  }
  return { folder, copyDatabase: (to, name) => copyDataFolder(copy, to, name) }
}

async function openServer({ context, config, path, stack }: Opening): Promise<OpenedSource> {
  const folder = stack.use(await BackupFolder.open(path, context.dataFolder))
  const { copyServer } = await import('./backup-postgres.ts')
  return { folder, copyDatabase: (to) => copyServer(config, to, context.signal) }
}

/** Records go before a backup: it gives way where the processor is busy. */
function lowerPriority(): void {
  try {
    if (getPriority() < LOW_PRIORITY) setPriority(LOW_PRIORITY)
  } catch {
    // The system does not allow it.
  }
}

function openDatabase(dataFolder: string): number | undefined {
  try {
    return openSync(join(dataFolder, DATABASE_FILE), 'r')
  } catch {
    // Opening the storage says why.
    return undefined
  }
}

async function verifyOnly(context: CommandContext, path: string): Promise<void> {
  const entry = await findBackup(path)
  const { files, bytes } = await verify(context, entry)
  printResult(context, { backup: entry.folder, instant: entry.manifest.instant, files, bytes }, [
    `The backup ${entry.folder} is whole: ${countOf(files, 'file')} with ${countOf(bytes, 'byte')} have the checksums of its manifest.`,
  ])
}

async function verify(
  { signal }: CommandContext,
  entry: BackupEntry,
): Promise<{ files: number; bytes: number }> {
  using progress = new Progress('MB checked')
  return await verifyBackup(entry, {
    signal,
    onProgress: (bytes, total) => showBytes(progress, bytes, total),
  })
}

export const showBytes = (progress: Progress, bytes: number, total: number): void =>
  progress.show(Math.floor(bytes / MEGABYTE), Math.ceil(total / MEGABYTE))

function report(
  context: CommandContext,
  { folder, manifest }: BackupEntry,
  { isNew, isVerified, removed }: { isNew: boolean; isVerified: boolean; removed: string[] },
): void {
  const { instant, ended, records, bytes, seconds } = manifest
  const made = { backup: folder, isNew, instant, ended, records, bytes, seconds }
  printResult(context, { ...made, isVerified, removed }, [
    isNew
      ? `Backed up ${countOf(records.theme + records.raw, 'record')} to ${folder}: ${countOf(bytes, 'byte')} were written in ${countOf(seconds, 'second')}.`
      : `The newest backup is ${folder}, of ${instant}. None was made.`,
    ...(isVerified ? ['Its files have the checksums of its manifest.'] : []),
    ...removed.map((name) => `Removed the backup ${name}.`),
  ])
}

function readEvery(flag: string | undefined): number | undefined {
  if (flag === undefined) return undefined
  const hours = flag === '' ? NaN : Number(flag)
  if (!(hours > 0 && hours <= 87_600))
    throw new UsageError('--every must be a number of hours above 0')
  return hours
}

function readKeep(flag: string | undefined): number | undefined {
  if (flag === undefined) return undefined
  if (!/^[1-9]\d{0,4}$/.test(flag))
    throw new UsageError('--keep must be a whole number of 1 or more')
  return Number(flag)
}
