import { closeSync, openSync } from 'node:fs'
import { getPriority, setPriority } from 'node:os'
import { dirname, join } from 'node:path'
import { BackupFolder } from '../backup/backup-folder.ts'
import { listBackups, type BackupEntry } from '../backup/find-backups.ts'
import { copyDataFolder } from '../backup/copy-data-folder.ts'
import { describeExposure, findExposure } from '../backup/exposed-folder.ts'
import { makeBackup, type MakeBackup } from '../backup/make-backup.ts'
import { isVerificationDue, readVerification } from '../backup/verification.ts'
import { FILES } from '../backup/copied-files.ts'
import { SETTINGS_FILE } from '../backup/data-files.ts'
import type { Manifest } from '../backup/manifest.ts'
import { findSettingsFile } from '../config/load.ts'
import type { Config } from '../config/settings.ts'
import { DamageError } from '../errors/damage-error.ts'
import { countOf, momentOf } from '../errors/show.ts'
import { usesPostgres } from '../startup/storage-settings.ts'
import { DATABASE_FILE } from '../storage/sqlite/connection/main-connection.ts'
import { readEvery, readKeep, readVerifyEvery } from './backup-flags.ts'
import { printResult, UsageError, type Command, type CommandContext } from './command.ts'
import { loadSettings } from './load-settings.ts'
import { openStorage } from './open.ts'
import { Progress, showBytes } from './progress.ts'
import { findDamage, noteVerified, verifyOnly } from './verify-backup.ts'
import { readVersion } from '../config/version.ts'

const HOUR = 3_600_000
const LOW_PRIORITY = 10

export const backup: Command = {
  summary: 'back up all data to another folder',
  usage:
    'plumbline backup DIR [--verify | --verify-every DAYS | --verify-only] [--keep N] [--every HOURS] [--without-secrets] [--json]',
  help: `Makes a backup in a folder of its own below DIR, named by its UTC time, while the service goes on. It holds the
database with all records, waveforms and alarms, the settings file, and the folders "secrets" and "tls".
With PostgreSQL it holds a dump of the database, made by pg_dump of the machine.
Sealed days, waveforms and pictures that an earlier backup in DIR has are not copied again. DIR is a folder
outside the data folder, empty or with backups; its parent must exist.

With the settings backup.to, backup.everyHours, backup.keep and backup.verifyEveryDays a running service makes
backups by itself.

  --verify            read what earlier backups share before it is used again, and the new backup when it
                      is made, and compare the checksums; what is damaged is copied anew
  --verify-every DAYS   the same where the last verification of DIR is older or has found damage
  --verify-only       check the newest backup of DIR, or the backup DIR, and make none
  --keep N            then remove all but the newest N backups of DIR
  --every HOURS       make none if the newest of DIR is younger, and print that one. Where it is verified and
                      damaged, one is made
  --without-secrets   leave out the folders "secrets" and "tls", and the settings file, which may hold passwords.
                      Who logs in, and the hashes of tokens and keys, are in the database all the same
  --json              print JSON: {"backup", "isNew", "instant", "ended", "records", "bytes", "seconds",
                      "isVerified", "damage", "verification", "removed"}. "damage" has what this run has found,
                      "verification" is the last one of DIR: {"at", "backup", "damage"}`,
  options: {
    verify: { type: 'boolean' },
    'verify-every': { type: 'string' },
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
    const [keep, every, days] = [readKeep(flags), readEvery(flags), readVerifyEvery(flags)]
    if (flags['verify-only'] === true) return await verifyOnly(context, path)
    const recent = every === undefined ? undefined : await findRecent(path, every)
    const last = await readVerification(path)
    const isDue = days !== undefined && isVerificationDue(last, { days, now: Date.now() })
    const isAsked = flags['verify'] === true || isDue
    lowerPriority()
    const damage: string[] = []
    const onDamage = (sentence: string): void => {
      damage.push(sentence)
      context.printError(sentence)
    }
    if (recent !== undefined) {
      const found = isAsked ? await findDamage(context, recent) : undefined
      if (found === undefined) {
        if (isAsked) await noteVerified(recent, [])
        return await report(context, recent, { isNew: false, isVerified: isAsked, damage })
      }
      onDamage(`${found} Another backup is made.`)
    }
    const hadDamage = days !== undefined && (last?.damage.length ?? 0) > 0
    const isVerified = isAsked || hadDamage
    const check = async (entry: BackupEntry): Promise<void> => {
      const found = await findDamage(context, entry)
      await noteVerified(entry, found === undefined ? damage : [...damage, found])
      if (found !== undefined) throw new DamageError(found)
    }
    const config = await loadSettings(context)
    const { entry, removed } = await make({
      context,
      config,
      path,
      keep,
      isVerified,
      onDamage,
      check,
    })
    await report(context, entry, { isNew: true, isVerified, damage, removed })
  },
}

/**
 * The newest backup of a folder, if the instant of its data is not so many hours ago. One of an instant to
 * come was made by a clock that was ahead: nobody knows its age.
 */
async function findRecent(path: string, hours: number): Promise<BackupEntry | undefined> {
  const newest = await listBackups(path).then(
    ({ backups }) => backups.at(-1),
    () => undefined,
  )
  if (newest === undefined) return undefined
  const age = Date.now() - Date.parse(newest.manifest.instant)
  return age >= 0 && age < hours * HOUR ? newest : undefined
}

type Making = {
  context: CommandContext
  config: Config
  path: string
  keep: number | undefined
  isVerified: boolean
  /** Hears what is damaged of the backup on which this one builds. */
  onDamage(sentence: string): void
  /** Throws where the new backup is damaged. */
  check(entry: BackupEntry): Promise<void>
}

async function make(making: Making): Promise<{ entry: BackupEntry; removed: string[] }> {
  const { context, config, keep, isVerified, check } = making
  const { dataFolder, configFile, flags, signal } = context
  await using stack = new AsyncDisposableStack()
  using progress = stack.use(new Progress('MB'))
  const open = usesPostgres(config) ? openServer : openFolder
  const { folder, copyDatabase } = await open({ ...making, stack, progress })
  const exposure = await findExposure(folder.path, dataFolder)
  if (exposure !== undefined)
    context.printError(describeExposure(`the backups in ${folder.path}`, exposure))
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
  // Before older ones are removed: one that is damaged replaces none.
  if (isVerified) await check(entry)
  return { entry, removed: keep === undefined ? [] : await folder.removeOld(keep) }
}

type Opening = Making & { stack: AsyncDisposableStack; progress: Progress }

type OpenedSource = Pick<MakeBackup, 'folder' | 'copyDatabase'>

async function openFolder(opening: Opening): Promise<OpenedSource> {
  const { context, config, path, stack, progress, isVerified, onDamage } = opening
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
    isVerified,
    signal,
    now: Date.now,
    onProgress: (bytes: number, total: number) => showBytes(progress, bytes, total),
    warn: printError,
    onDamage,
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

/** Names a settings file that is missing: a service elsewhere may read another one. */
function describeMissingSettings(
  { dataFolder, configFile }: CommandContext,
  { files, withoutSecrets }: Manifest,
): string[] {
  if (withoutSecrets || files.some(({ path }) => path === `${FILES}/${SETTINGS_FILE}`)) return []
  const { name } = findSettingsFile(dataFolder, configFile)
  return [
    `It has no settings file, since there is no ${name}. If the service reads another one, name it with --config.`,
  ]
}

async function report(
  context: CommandContext,
  { folder, manifest }: BackupEntry,
  done: { isNew: boolean; isVerified: boolean; damage: string[]; removed?: string[] },
): Promise<void> {
  const { isNew, isVerified, damage, removed = [] } = done
  const { instant, ended, records, bytes, seconds } = manifest
  const made = { backup: folder, isNew, instant, ended, records, bytes, seconds }
  const verification = (await readVerification(dirname(folder))) ?? null
  printResult(context, { ...made, isVerified, damage, verification, removed }, [
    isNew
      ? `Backed up ${countOf(records.theme + records.raw, 'record')} to ${folder}: ${countOf(bytes, 'byte')} were written in ${countOf(seconds, 'second')}.`
      : `The newest backup is ${folder}, of ${momentOf(Date.parse(instant))}. None was made.`,
    ...(isNew ? describeMissingSettings(context, manifest) : []),
    ...(isVerified ? ['Its files have the checksums of its manifest.'] : []),
    ...removed.map((name) => `Removed the backup ${name}.`),
  ])
}
