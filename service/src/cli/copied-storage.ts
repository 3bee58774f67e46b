import { realpathSync, statSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import type { Config } from '../config/settings.ts'
import { RefusedError } from '../errors/refused-error.ts'
import { describeUrl } from '../storage/postgres/connection/storage-url.ts'
import type { Storage } from '../storage/storage.ts'
import { readText, UsageError, type CommandContext } from './command.ts'
import { openStorage } from './open.ts'

/** Counting the rows of a large table takes minutes. */
const STATEMENT_SECONDS = 3_600

/** One side of a copy: a data folder, or a database. */
export type CopiedStorage = {
  flag: 'from' | 'to'
  /** Its name for people, without a password. */
  name: string
  /** The data folder; undefined for a database. */
  folder: string | undefined
  config: Config
}

/** Reads `--from` or `--to` with the flag of its password. */
export function readCopied(
  context: CommandContext,
  config: Config,
  flag: 'from' | 'to',
): CopiedStorage {
  const text = readText(context.flags, flag) ?? ''
  const file = readText(context.flags, `${flag}-password-file`)
  if (text === '')
    throw new UsageError(
      `storage copy needs --${flag} with sqlite:FOLDER, the path of a data folder, or postgres://USER@HOST/DATABASE`,
    )
  if (/^postgres(ql)?:/i.test(text)) {
    const isConfigured = text === config['storage.url']
    const passwordFile = file ?? (isConfigured ? config['storage.passwordFile'] : '')
    const own = {
      ...config,
      'storage.url': text,
      'storage.passwordFile': passwordFile,
      'storage.statementTimeoutSeconds': STATEMENT_SECONDS,
    }
    return { flag, name: describeUrl(text), folder: undefined, config: own }
  }
  if (/^[a-z]{2,}:\/\//i.test(text))
    throw new UsageError(
      `--${flag} must be sqlite:FOLDER, the path of a data folder, or a URL such as postgres://USER@HOST/DATABASE`,
    )
  if (file !== undefined)
    throw new UsageError(`--${flag}-password-file is for databases, and --${flag} is a folder`)
  const folder = text.replace(/^sqlite:/, '')
  if (folder === '') throw new UsageError(`--${flag} names no folder: write it as sqlite:FOLDER`)
  if (statSync(folder, { throwIfNoEntry: false })?.isFile() === true)
    throw new UsageError(
      `--${flag} names the file ${folder}: name the data folder, such as sqlite:${dirname(folder)}`,
    )
  return {
    flag,
    name: `sqlite:${folder}`,
    folder,
    config: { ...config, 'storage.url': 'sqlite', 'storage.passwordFile': '' },
  }
}

/** Refuses two names of one storage. */
export function requireTwo(from: CopiedStorage, to: CopiedStorage): void {
  const isSame =
    from.folder === undefined || to.folder === undefined
      ? from.folder === to.folder && from.name === to.name && hasSameUrl(from, to)
      : pathOf(from.folder) === pathOf(to.folder)
  if (isSame) throw new UsageError('--from and --to name the same storage')
}

const hasSameUrl = (from: CopiedStorage, to: CopiedStorage): boolean =>
  from.config['storage.url'] === to.config['storage.url']

function pathOf(folder: string): string {
  try {
    return realpathSync(folder)
  } catch {
    return resolve(folder)
  }
}

/** Opens one side of a copy. */
export async function openCopied(
  context: CommandContext,
  side: CopiedStorage,
  { isTarget = false, mayCreate = false } = {},
): Promise<Storage> {
  const { folder, config } = side
  try {
    return await openStorage(
      {
        ...context,
        dataFolder: folder ?? context.dataFolder,
        printError: (sentence) => context.printError(withFlag(sentence, side)),
      },
      {
        config,
        mayCreate,
        // A database needs no data folder here.
        mayCreateFolder: folder !== undefined,
        mayBeCopied: isTarget,
        mayBeRewriting: isTarget,
      },
    )
  } catch (error) {
    throw withFlags(error, side)
  }
}

/** A refusal that names the flags of the copy instead of settings and of the flags of other commands. */
function withFlags(error: unknown, { flag, name }: CopiedStorage): unknown {
  if (!(error instanceof RefusedError)) return error
  if (error.reason === 'absent')
    return new RefusedError(
      'absent',
      `There is no storage of Plumbline in ${name}: check --${flag}.`,
    )
  return new RefusedError(error.reason, withFlag(error.message, { flag }))
}

const withFlag = (sentence: string, { flag }: Pick<CopiedStorage, 'flag'>): string =>
  sentence.replaceAll('storage.passwordFile', `--${flag}-password-file`)
