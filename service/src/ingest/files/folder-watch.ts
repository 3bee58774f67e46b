import { basename, join } from 'node:path'
import type { Logger } from 'pino'
import { fileOrigin } from '../../domain/rejects/reject-origin.ts'
import { RefusedError } from '../../errors/refused-error.ts'
import type { Storage } from '../../storage/storage.ts'
import type { RecordIngest } from '../record-ingest.ts'
import type { Rejects } from '../rejects/rejects.ts'
import type { Mapping } from '../formats/mapping.ts'
import { readRows, type PlacedBatch } from '../formats/read-rows.ts'
import { ReservedSpaceError } from '../formats/reserved-space-error.ts'
import type { Present } from './expire-positions.ts'
import { FolderListing, type FileState, type WatchedFolder } from './folder-listing.ts'
import { FolderProgress } from './folder-state.ts'
import { statRegular } from './regular-file.ts'
import { NAME_IS_NOT_UTF8 } from './shown-name.ts'
import { storeAndMark } from './store-batch.ts'
import {
  formatPosition,
  lineHash,
  parsePosition,
  WatchedFile,
  whereToGoOn,
} from './watched-file.ts'
import { zonesOf } from './zones-of.ts'

export type FolderWatchOptions = {
  folder: WatchedFolder
  ingest: Pick<RecordIngest, 'raw' | 'theme' | 'dryRun' | 'catalogue' | 'clock'>
  storage: Pick<Storage, 'positions'>
  rejects: Pick<Rejects, 'add'>
  log: Pick<Logger, 'info' | 'warn'>
  /** A last line without a line break is taken when the file has not changed for so long. */
  fileIdleMilliseconds: number
  /** More NUL bytes in a row than this end the reading of a file until it changes. */
  mostReservedBytes: number
}

/** What a file looked like, since when, and whether all of it was read that can be read. */
type Seen = FileState & {
  since: number
  mapping: Mapping
  isRead: boolean
  /** The name of its position, once it is known. */
  key?: string
  /** What ended the reading of it, and whether a last line without a line break was taken then. */
  ended?: { error: ReservedSpaceError; isSettled: boolean }
}

/** A file as it was found; without a state there is something that keeps it from being read. */
type ToLookAt = { root: string; name: string; mapping: Mapping; state: FileState | undefined }

/** A file that is due, in the folder as it really lies. */
type ToRead = { root: string; name: string; mapping: Mapping; seen: Seen; age: number }

/** Within so long two changes of a file may have the same time, and its length says nothing of them. */
const SAME_TIME_MILLISECONDS = 2000

/**
 * Reads on what has come into a folder since the last look.
 *
 * It looks at size and time of change, since network drives tell of nothing. A file is known by
 * its beginning, so that one that was renamed is read on and a new one under an old name is new.
 */
export class FolderWatch {
  readonly #options: FolderWatchOptions
  /** How far it has been read. */
  readonly progress: FolderProgress
  readonly #listing: FolderListing
  readonly #seen = new Map<string, Seen>()
  /** Whether the last look came to its end. */
  #isComplete = false
  /** What was said of a file or of the folder, so that it is said once. */
  readonly #said = new Map<string, string>()

  constructor(options: FolderWatchOptions) {
    this.#options = options
    this.progress = new FolderProgress(options.folder)
    this.#listing = new FolderListing(options.folder)
  }

  /** One look at everything; what cannot be read now is said once and tried again the next time. */
  async look(signal: AbortSignal): Promise<void> {
    const { folder } = this.#options
    this.#isComplete = false
    const listed = await this.#attempt(folder.path, () => this.#listing.list(signal), signal)
    if (listed === undefined) return
    const { names, unreadableNames, root, mapping, states } = listed
    const all = [...names, ...unreadableNames]
    this.progress.look()
    this.progress.list(all, this.#findChanged(states, mapping))
    this.#leaveOut(new Set(all))
    for (const name of unreadableNames)
      await this.#attempt(join(folder.path, name), refuseName, signal)
    for (const name of names) {
      if (signal.aborted) return
      const state = states.get(name)
      const look = () => this.#lookAt({ root, name, mapping, state }, signal)
      await this.#attempt(join(folder.path, name), look, signal)
    }
    this.#isComplete = !signal.aborted
    if (this.#isComplete) this.progress.complete()
  }

  /** Of files that look otherwise than at the last look the bytes that are not read yet. */
  #findChanged(states: ReadonlyMap<string, FileState>, mapping: Mapping): Map<string, number> {
    const changed = new Map<string, number>()
    for (const [name, state] of states) {
      if (this.#findUnchanged(name, state, mapping) !== undefined) continue
      const before = this.#seen.get(name)
      const { size } = state
      const isGrown = before !== undefined && size >= before.size
      const read = isGrown ? before.size - this.progress.behindOf(name) : 0
      changed.set(name, size - Math.max(0, read))
    }
    return changed
  }

  /** What was seen of a file, if it looks as it did then. */
  #findUnchanged(name: string, { size, mtimeMs }: FileState, mapping: Mapping): Seen | undefined {
    const seen = this.#seen.get(name)
    const isSame = seen?.size === size && seen.mtimeMs === mtimeMs && seen.mapping === mapping
    return isSame ? seen : undefined
  }

  /** Which files were there at the last look; without names where that is not known of all. */
  present(): Present {
    const prefix = this.#prefix
    if (!this.#isComplete) return { prefix, names: undefined }
    return { prefix, names: new Set(this.#seen.values().flatMap(({ key = '' }) => [key])) }
  }

  get #prefix(): string {
    const { path, mapping } = this.#options.folder
    return `file ${path} ${mapping} `
  }

  /** Names that are no longer listed are known no more. */
  #leaveOut(names: ReadonlySet<string>): void {
    const { path } = this.#options.folder
    for (const known of this.#seen.keys()) if (!names.has(known)) this.#seen.delete(known)
    for (const said of this.#said.keys())
      if (said !== path && !names.has(basename(said))) this.#said.delete(said)
  }

  async #lookAt({ root, name, mapping, state }: ToLookAt, signal: AbortSignal): Promise<void> {
    const { ingest, fileIdleMilliseconds } = this.#options
    const { size, mtimeMs } = state ?? (await statRegular(join(root, name)))
    const now = ingest.clock.now()
    const unchanged = this.#findUnchanged(name, { size, mtimeMs }, mapping)
    if (unchanged?.isRead === true) return
    const seen = unchanged ?? { size, mtimeMs, since: now, mapping, isRead: false }
    this.#seen.set(name, seen)
    const age = now - seen.since
    const isSettled = age >= fileIdleMilliseconds
    const { ended } = seen
    if (ended !== undefined && (ended.isSettled || !isSettled)) throw ended.error
    try {
      seen.isRead = await this.#readOn({ root, name, mapping, seen, age }, signal)
    } catch (error) {
      // Looking again would cost as much reading, and find no more until the file changes.
      if (error instanceof ReservedSpaceError && age >= SAME_TIME_MILLISECONDS)
        seen.ended = { error, isSettled }
      throw error
    }
  }

  /** Whether nothing is left to read until the file changes. */
  async #readOn({ root, name, mapping, seen, age }: ToRead, signal: AbortSignal): Promise<boolean> {
    const { ingest, storage, fileIdleMilliseconds, mostReservedBytes } = this.#options
    await using file = await WatchedFile.open(join(root, name), signal)
    const { size } = await file.stat()
    const identity = await file.identify(mapping, mostReservedBytes)
    // Nothing was read yet; but a header or a row that is still being written may be there.
    if (identity === undefined) {
      this.progress.isBehind(name, 0)
      return age >= SAME_TIME_MILLISECONDS
    }
    const key = `${this.#prefix}${identity}`
    seen.key = key
    const known = parsePosition(await storage.positions.find(key))
    const from = await whereToGoOn(file, { name, size }, known)
    if (from === undefined) {
      this.progress.isBehind(name, 0)
      return true
    }

    this.progress.isBehind(name, size - from.offset)
    const batches = readRows((offset) => file.bytes(offset), {
      mapping,
      zoneOf: zonesOf(await ingest.catalogue()),
      from,
      takesOpenLine: age >= fileIdleMilliseconds,
      isTaken: (text) => from === known?.place && known.openLine === lineHash(text),
      mostReservedBytes,
      signal,
    })
    let end = from.offset
    let nulTail = 0
    for await (const batch of batches) {
      // A line that is not whole yet is no news.
      if (batch.place.offset > end) await this.#store(file, { name, key, mapping }, batch)
      end = batch.place.offset
      nulTail = batch.nulTail
      this.progress.isBehind(name, size - end - nulTail)
      if (batch.isCutOff) throw new ReservedSpaceError(mostReservedBytes, batch.place.lines)
    }
    if (end + nulTail < (await file.stat()).size) return false
    return nulTail === 0 || age >= SAME_TIME_MILLISECONDS
  }

  async #store(
    file: WatchedFile,
    { name, key, mapping }: { name: string; key: string; mapping: Mapping },
    batch: PlacedBatch,
  ): Promise<void> {
    const { folder, ingest, storage, rejects, log } = this.#options
    const { place, closed, openLine } = batch
    const text = formatPosition({
      name,
      place: closed,
      tail: await file.tailHash(closed.offset),
      openEnd: openLine === undefined ? 0 : place.offset,
      openLine: openLine === undefined ? '' : lineHash(openLine),
    })
    const stored = await storeAndMark(ingest, batch, {
      positions: storage.positions,
      rejects,
      origin: fileOrigin(join(folder.path, name)),
      isLive: true,
      name: key,
      text,
      now: () => ingest.clock.now(),
      mapping,
      mappingFile: folder.mapping,
    })
    const { accepted, replaced, refused } = stored
    this.progress.store(batch, stored, ingest.clock.now())
    if (accepted + refused.length === 0) return
    const counts = { file: name, rows: batch.rows, records: accepted, replaced }
    log.info({ ...counts, refused: refused.length }, 'a watched file was read on')
  }

  /** Says once what keeps a file from being read, and when it is read again. */
  async #attempt<Result>(
    what: string,
    work: () => Promise<Result>,
    signal: AbortSignal,
  ): Promise<Result | undefined> {
    const { log } = this.#options
    try {
      const result = await work()
      this.#report(what, undefined)
      if (this.#said.delete(what)) log.info(`${what} can be read again`)
      return result
    } catch (error) {
      if (error === signal.reason) return undefined
      const { code, message } = error as NodeJS.ErrnoException
      // It was there when the folder was listed: rotated meanwhile, it is found under its new name.
      if (code === 'ENOENT' && what !== this.#options.folder.path) {
        this.progress.isBehind(basename(what), 0)
        return undefined
      }
      this.#report(what, message)
      if (isInvalid(error) && what !== this.#options.folder.path)
        this.progress.isBehind(basename(what), 0)
      const words = `${what} is not read for now: ${message}`
      if (this.#said.get(what) === words) return undefined
      this.#said.set(what, words)
      log.warn(words)
      if (isInvalid(error) && what !== this.#options.folder.path)
        await this.#keepReject(what, error)
      return undefined
    }
  }

  #report(what: string, problem: string | undefined): void {
    if (what !== this.#options.folder.path) this.progress.refuse(basename(what), problem)
    else if (problem !== undefined) this.progress.look(problem)
  }

  /** A file that is refused as a whole stays where it is; it is on the list of what was refused. */
  async #keepReject(path: string, error: RefusedError): Promise<void> {
    const { rejects, ingest } = this.#options
    const refusal = {
      ...fileOrigin(path),
      place: `line ${error instanceof ReservedSpaceError ? error.lines + 1 : 1}`,
      reason: error.message,
      payload: Buffer.of(),
      receivedAt: ingest.clock.now(),
    }
    await rejects.add([refusal])
  }
}

const refuseName = (): Promise<never> => Promise.reject(new Error(NAME_IS_NOT_UTF8))

const isInvalid = (error: unknown): error is RefusedError =>
  error instanceof RefusedError && error.reason === 'invalid'
