import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { Config } from '../config/settings.ts'
import { RefusedError } from '../errors/refused-error.ts'
import { codeOf } from '../errors/thrown.ts'
import { requireRewritten } from '../site/meaning/rewriting.ts'
import { openDayBytes } from '../startup/open-day-bytes.ts'
import { readConnectionSettings, usesPostgres } from '../startup/storage-settings.ts'
import { warnOfOpen } from '../storage/private-files.ts'
import { DATABASE_FILE } from '../storage/sqlite/connection/main-connection.ts'
import { requireLocalDisk } from '../storage/sqlite/connection/network-disk.ts'
import { protectFolder } from '../storage/sqlite/connection/protect-folder.ts'
import { openSqlite, type SqliteOptions } from '../storage/sqlite/open.ts'
import { describeCopied, requireWhole } from '../storage/sql/copy/copy-marks.ts'
import type { Storage } from '../storage/storage.ts'
import type { CommandContext } from './command.ts'
import { loadSettings, type SettingsContext } from './load-settings.ts'

type OpenOptions = Omit<SqliteOptions, 'synchronous'> & {
  /** The settings, where the command has loaded them. */
  config?: Config
  /** The setting `storage.synchronous`. */
  synchronous?: string
  /** Whether a missing database is created; without it, it is refused. */
  mayCreate?: boolean
  /** Whether a data folder that is missing is created as well; default: yes. */
  mayCreateFolder?: boolean
  /** Whether it may be the target of a copy that is not finished; without it, this is refused. */
  mayBeCopied?: boolean
  /** Whether the data folder may be on another machine, such as a backup; without it, this is refused. */
  mayBeRemote?: boolean
  /** Whether some records may be rewritten and others not; without it, this is refused. */
  mayBeRewriting?: boolean
}

/**
 * Opens the storage that the settings name; the service and other commands may use it at the same time.
 *
 * A database that is older than the program is refused, unless the command may migrate it.
 */
export async function openStorage(
  context: SettingsContext & Pick<CommandContext, 'printError'>,
  {
    synchronous = 'full',
    mayBeRewriting = false,
    mayBeCopied = false,
    config,
    ...options
  }: OpenOptions = {},
): Promise<Storage> {
  const settings = config ?? (await loadSettings(context))
  await using stack = new AsyncDisposableStack()
  const open = usesPostgres(settings) ? openServer : openFolder
  const storage = await open(context.dataFolder, settings, {
    migrating: 'if-new',
    warn: context.printError,
    mayCreate: false,
    ...options,
    // Only these answer requests.
    openDayBytes:
      options.isServed === true || options.isWorker === true ? openDayBytes(settings) : 0,
    synchronous: synchronous === 'off' ? 'OFF' : 'FULL',
  })
  stack.use(storage)
  if (!mayBeCopied) await requireWhole(storage.copying)
  if (options.isServed === true) {
    const copied = await describeCopied(storage.copying)
    if (copied !== undefined) (options.warn ?? context.printError)(copied)
  }
  if (!mayBeRewriting) await requireRewritten(storage.changes)
  stack.move()
  return storage
}

type EngineOptions = Omit<SqliteOptions, 'synchronous'> & {
  synchronous: 'FULL' | 'OFF'
  warn(sentence: string): void
  mayCreate: boolean
  mayCreateFolder?: boolean
  mayBeRemote?: boolean
}

async function openFolder(
  folder: string,
  _config: Config,
  { mayCreate, mayCreateFolder: _mayCreateFolder, mayBeRemote = false, ...options }: EngineOptions,
): Promise<Storage> {
  if (!mayBeRemote) requireLocalDisk(folder)
  if (!mayCreate) await requireDatabase(folder)
  return openSqlite(folder, { yieldsToService: options.isServed !== true, ...options })
}

/** The data folder keeps what is not in the database: certificates, secrets, the state of the demo. */
async function openServer(
  folder: string,
  config: Config,
  {
    yieldsToService: _yields,
    mayBeRemote: _remote,
    mayCreateFolder = true,
    ...options
  }: EngineOptions,
): Promise<Storage> {
  // Loaded only here, since most services keep their data in the folder.
  const { openPostgres } = await import('../storage/postgres/open.ts')
  await using stack = new AsyncDisposableStack()
  const connections = await readConnectionSettings(config)
  const storage = stack.use(
    await openPostgres(config['storage.url'], { ...connections, ...options }),
  )
  const file = config['storage.passwordFile']
  if (file !== '') await warnOfOpen(file, PASSWORD_FILE, options.warn)
  if (options.mayCreate && mayCreateFolder) await protectFolder(folder, undefined, options.warn)
  stack.move()
  return storage
}

const PASSWORD_FILE = { name: 'The file of storage.passwordFile', why: 'It holds a password' }

async function requireDatabase(folder: string): Promise<void> {
  const size = await stat(join(folder, DATABASE_FILE)).then(
    (found) => found.size,
    (error) => (codeOf(error) === 'ENOENT' ? 0 : undefined),
  )
  if (size === 0)
    throw new RefusedError(
      'absent',
      `There is no database in ${folder}: check --data; "plumbline serve" and "plumbline site apply" create one.`,
    )
}
