import { isUtf8 } from 'node:buffer'
import { readdir, readFile, realpath, stat } from 'node:fs/promises'
import { join, matchesGlob } from 'node:path'
import type { WatchedFolderSettings } from '../../config/folder-settings.ts'
import { RefusedError } from '../../errors/refused-error.ts'
import { readAnyMapping, type AnyMapping } from '../formats/mapping.ts'
import { statRegular } from './regular-file.ts'
import { shownName } from './shown-name.ts'
import { textOfBytes } from '../../yaml/yaml-bytes.ts'

/** A folder whose files are read as they grow; its paths are absolute. */
export type WatchedFolder = Required<Omit<WatchedFolderSettings, 'pollSeconds'>>

export type FileState = { size: number; mtimeMs: number }

/** The files of a folder; `root` is its path without symbolic links. */
type Listing = {
  root: string
  mapping: AnyMapping
  /** The names that match the pattern, sorted. */
  names: string[]
  /** Names that are not UTF-8, by which files cannot be opened, as they are displayed. */
  unreadableNames: string[]
  /** Size and time of change of the regular files among them. */
  states: Map<string, FileState>
}

/** Lists a folder repeatedly. */
export class FolderListing {
  readonly #folder: WatchedFolder
  #mapping: { mtimeMs: number; mapping: AnyMapping } | undefined
  /** The folder without symbolic links, as at the first listing. */
  #root: string | undefined

  constructor(folder: WatchedFolder) {
    this.#folder = folder
  }

  /** Throws when the folder or its mapping cannot be read. */
  async list(signal: AbortSignal): Promise<Listing> {
    const mapping = await this.#loadMapping()
    const root = await this.#findRoot()
    const { names, unreadableNames } = await this.#listNames(root)
    return { mapping, root, names, unreadableNames, states: await findStates(root, names, signal) }
  }

  /** A link in the path at the first listing is the operator's; a later change is refused. */
  async #findRoot(): Promise<string> {
    const root = await realpath(this.#folder.path)
    this.#root ??= root
    if (root === this.#root) return root
    throw new Error(
      `it leads to another folder now, ${root} instead of ${this.#root}; restart the service if that is intended`,
    )
  }

  async #listNames(root: string): Promise<Pick<Listing, 'names' | 'unreadableNames'>> {
    const { pattern } = this.#folder
    // Decoded as text, a name that is not UTF-8 would name no file.
    const entries = await readdir(root, { withFileTypes: true, encoding: 'buffer' })
    const matching = entries
      .filter((entry) => !entry.isDirectory() && matchesGlob(entry.name.toString(), pattern))
      .map(({ name }) => name)
    const { named = [], unnamed = [] } = Object.groupBy(matching, (name) =>
      isUtf8(name) ? 'named' : 'unnamed',
    )
    return {
      names: named.map(String).toSorted(),
      unreadableNames: unnamed.map(shownName).toSorted(),
    }
  }

  async #loadMapping(): Promise<AnyMapping> {
    const { mapping: name } = this.#folder
    const { mtimeMs } = await stat(name)
    if (this.#mapping?.mtimeMs !== mtimeMs)
      this.#mapping = {
        mtimeMs,
        mapping: requireWatchable(textOfBytes(await readFile(name), name), name),
      }
    return this.#mapping.mapping
  }
}

async function findStates(
  root: string,
  names: readonly string[],
  signal: AbortSignal,
): Promise<Map<string, FileState>> {
  const states = new Map<string, FileState>()
  for (const name of names) {
    signal.throwIfAborted()
    const state = await statRegular(join(root, name)).catch(() => undefined)
    if (state !== undefined) states.set(name, state)
  }
  return states
}

/** A workbook is written as a whole, so it cannot be read on as it grows. */
function requireWatchable(text: string, name: string): AnyMapping {
  const mapping = readAnyMapping(text, name)
  if ('waveforms' in mapping || mapping.records.format !== 'xlsx') return mapping
  throw new RefusedError(
    'invalid',
    `${name}: workbooks are read by "plumbline import" only, expected another format`,
  )
}
