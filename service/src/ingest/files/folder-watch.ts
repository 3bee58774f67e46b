import { join } from 'node:path'
import type { Logger } from 'pino'
import { boundedText } from '../../encodings/bounded-text.ts'
import { fileOrigin } from '../../domain/rejects/reject-origin.ts'
import { RefusedError } from '../../errors/refused-error.ts'
import type { Storage } from '../../storage/storage.ts'
import type { RecordIngest } from '../record-ingest.ts'
import type { RejectWriter } from '../rejects/reject-writer.ts'
import type { WaveformFile } from '../waveforms/waveform-file.ts'
import type { AnyMapping, Mapping } from '../formats/mapping.ts'
import { describeOddHours } from '../formats/odd-hours.ts'
import { readRows, type PlacedBatch } from '../formats/read-rows.ts'
import { ReservedSpaceError } from '../formats/reserved-space-error.ts'
import type { PresentFiles } from './expire-positions.ts'
import { findNextPlace, formatPosition, lineHash, parsePosition } from './file-position.ts'
import { FolderListing, type FileState, type WatchedFolder } from './folder-listing.ts'
import { FolderProblems } from './folder-problems.ts'
import { FolderProgress } from './folder-state.ts'
import { RefusedWaveformsError } from './refused-waveforms-error.ts'
import { statRegular } from './regular-file.ts'
import { NAME_IS_NOT_UTF8 } from './shown-name.ts'
import { storeWithPosition } from './store-batch.ts'
import { WatchedFile } from './watched-file.ts'
import { storeWatchedWaveforms } from './watched-waveforms.ts'
import { unitsOf, zonesOf } from './site-of-targets.ts'

export type FolderWatchOptions = {
  folder: WatchedFolder
  ingest: Pick<RecordIngest, 'raw' | 'theme' | 'waveforms' | 'dryRun' | 'catalogue' | 'clock'>
  storage: Pick<Storage, 'positions'>
  rejects: Pick<RejectWriter, 'add'>
  log: Pick<Logger, 'info' | 'warn'>
  /** A last line without a line break is read when the file has not changed for this time. */
  fileIdleMilliseconds: number
  /** Reading of a file ends before more NUL bytes in a row than this, until the file changes. */
  mostReservedBytes: number
  /** Larger files of waveforms are refused. */
  mostFileBytes: number
}

/** Size and time of change of a file at the last check, and how far it was read then. */
type KnownFile = FileState & {
  /** Since when the file is unchanged. */
  since: number
  mapping: AnyMapping
  /** Whether nothing is left to read until the file changes. */
  isRead: boolean
  /** The name of its position, once it is identified. */
  key?: string
  /**
   * The error that ended reading, with the version of the site, and whether a last line without a line
   * break was read then.
   */
  ended?: { error: RefusedError; isSettled: boolean; version: number }
}

/** A file of the listing; without a state it is not a regular file that can be read. */
type ListedFile = {
  root: string
  name: string
  mapping: AnyMapping
  state: FileState | undefined
}

/** A file of rows that is due. */
type DueFile = {
  file: WatchedFile
  name: string
  mapping: Mapping
  known: KnownFile
  age: number
}

/** Within this time two changes of a file may have the same time and leave the same length. */
const SAME_TIME_MILLISECONDS = 2000

/**
 * Reads what was added to the files of a folder since the last check.
 *
 * It compares size and time of change, since network drives send no events. A file is identified by
 * its beginning: reading continues after a rename, and a new file under an old name is read whole.
 */
export class FolderWatch {
  readonly #options: FolderWatchOptions
  /** How far the files of the folder have been read. */
  readonly progress: FolderProgress
  readonly #listing: FolderListing
  readonly #problems: FolderProblems
  readonly #known = new Map<string, KnownFile>()
  /** Whether the last check was completed. */
  #isComplete = false

  constructor(options: FolderWatchOptions) {
    this.#options = options
    const { folder, ...parts } = options
    this.progress = new FolderProgress(folder)
    this.#problems = new FolderProblems({ ...parts, folder: folder.path, progress: this.progress })
    this.#listing = new FolderListing(folder)
  }

  /** Checks every file once; files that cannot be read now are tried again the next time. */
  async check(signal: AbortSignal): Promise<void> {
    const { folder } = this.#options
    this.#isComplete = false
    const list = () => this.#listing.list(signal)
    const listed = await this.#problems.attempt(folder.path, list, signal)
    if (listed === undefined) return
    const { names, unreadableNames, root, mapping, states } = listed
    const all = [...names, ...unreadableNames]
    this.progress.begin()
    this.progress.list(all, this.#findChanged(states, mapping))
    this.#keepOnly(new Set(all))
    for (const name of unreadableNames)
      await this.#problems.attempt(join(folder.path, name), refuseName, signal)
    for (const name of names) {
      if (signal.aborted) return
      const state = states.get(name)
      const check = () => this.#checkFile({ root, name, mapping, state }, signal)
      await this.#problems.attempt(join(folder.path, name), check, signal)
    }
    this.#isComplete = !signal.aborted
    if (this.#isComplete) this.progress.complete()
  }

  #keepOnly(names: ReadonlySet<string>): void {
    for (const name of this.#known.keys()) if (!names.has(name)) this.#known.delete(name)
    this.#problems.keepOnly(names)
  }

  /** The bytes of changed files that are not read yet. */
  #findChanged(states: ReadonlyMap<string, FileState>, mapping: AnyMapping): Map<string, number> {
    const changed = new Map<string, number>()
    for (const [name, state] of states) {
      if (this.#findUnchanged(name, state, mapping) !== undefined) continue
      const before = this.#known.get(name)
      const { size } = state
      const isGrown = before !== undefined && size >= before.size
      const read = isGrown ? before.size - this.progress.bytesBehind(name) : 0
      changed.set(name, size - Math.max(0, read))
    }
    return changed
  }

  #findUnchanged(
    name: string,
    { size, mtimeMs }: FileState,
    mapping: AnyMapping,
  ): KnownFile | undefined {
    const known = this.#known.get(name)
    const isSame = known?.size === size && known.mtimeMs === mtimeMs && known.mapping === mapping
    return isSame ? known : undefined
  }

  /** The files of the last check; without names where it was not completed. */
  present(): PresentFiles {
    const prefix = this.#prefix
    if (!this.#isComplete) return { prefix, names: undefined }
    return { prefix, names: new Set(this.#known.values().flatMap(({ key = '' }) => [key])) }
  }

  get #prefix(): string {
    const { path, mapping } = this.#options.folder
    return `${boundedText(`file ${path} ${mapping}`)} `
  }

  async #checkFile({ root, name, mapping, state }: ListedFile, signal: AbortSignal): Promise<void> {
    const { ingest, fileIdleMilliseconds } = this.#options
    const { size, mtimeMs } = state ?? (await statRegular(join(root, name)))
    const now = ingest.clock.now()
    const unchanged = this.#findUnchanged(name, { size, mtimeMs }, mapping)
    if (unchanged?.isRead === true) return
    const known = unchanged ?? { size, mtimeMs, since: now, mapping, isRead: false }
    this.#known.set(name, known)
    const age = now - known.since
    const isSettled = age >= fileIdleMilliseconds
    const { version } = await ingest.catalogue()
    const { ended } = known
    // Another site may have the stations that waveforms lacked.
    const isOld = ended !== undefined && ended.version !== version && !isReserved(ended.error)
    if (ended !== undefined && !isOld && (ended.isSettled || !isSettled)) throw ended.error
    try {
      await using file = await WatchedFile.open(join(root, name), signal)
      known.isRead =
        'waveforms' in mapping
          ? isSettled && (await this.#readWaveforms(file, name, mapping.waveforms, known))
          : await this.#readNew({ file, name, mapping: mapping.records, known, age }, signal)
    } catch (error) {
      // Another check would read as much again, and find no more until the file changes.
      const isOver = isReserved(error) ? age >= SAME_TIME_MILLISECONDS : isRefusedWhole(error)
      if (error instanceof RefusedError && isOver) known.ended = { error, isSettled, version }
      throw error
    }
  }

  async #readWaveforms(
    file: WatchedFile,
    name: string,
    mapping: WaveformFile,
    known: KnownFile,
  ): Promise<boolean> {
    const { storage, ...parts } = this.#options
    const { positions } = storage
    known.key = await storeWatchedWaveforms(
      { ...parts, positions, progress: this.progress },
      { file, name, prefix: this.#prefix, mapping },
    )
    return true
  }

  /** Reads what is new in a file; returns whether nothing is left to read until it changes. */
  async #readNew(
    { file, name, mapping, known, age }: DueFile,
    signal: AbortSignal,
  ): Promise<boolean> {
    const { ingest, storage, fileIdleMilliseconds, mostReservedBytes } = this.#options
    const { size } = await file.stat()
    const identity = await file.identify(mapping, mostReservedBytes)
    // There may be a header or a row that is still being written.
    if (identity === undefined) {
      this.progress.setBytesBehind(name, 0)
      return age >= SAME_TIME_MILLISECONDS
    }
    const key = `${this.#prefix}${identity}`
    known.key = key
    const position = parsePosition(await storage.positions.find(key))
    const from = await findNextPlace(file, { name, size }, position)
    if (from === undefined) {
      this.progress.setBytesBehind(name, 0)
      return true
    }

    this.progress.setBytesBehind(name, size - from.offset)
    const catalogue = await ingest.catalogue()
    const batches = readRows((offset) => file.bytes(offset), {
      mapping,
      zoneOf: zonesOf(catalogue),
      unitOf: unitsOf(catalogue),
      from,
      takesOpenLine: age >= fileIdleMilliseconds,
      isTaken: (text) => from === position?.place && position.openLine === lineHash(text),
      mostReservedBytes,
      signal,
    })
    let end = from.offset
    let nulTail = 0
    for await (const batch of batches) {
      // The batch of an incomplete line has no new place.
      if (batch.place.offset > end) await this.#store(file, { name, key, mapping }, batch)
      end = batch.place.offset
      nulTail = batch.nulTail
      this.progress.setBytesBehind(name, size - end - nulTail)
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
    const stored = await storeWithPosition(ingest, batch, {
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
    const { accepted, replaced, rejected } = stored
    this.progress.store(batch, stored, ingest.clock.now())
    for (const sentence of describeOddHours(batch))
      log.warn(`${join(folder.path, name)}: ${sentence}`)
    if (accepted + rejected.length === 0) return
    const counts = { file: name, rows: batch.rows, records: accepted, replaced }
    log.info({ ...counts, rejected: rejected.length }, 'new rows of a watched file were read')
  }
}

const isReserved = (error: unknown): boolean => error instanceof ReservedSpaceError

const isRefusedWhole = (error: unknown): boolean => error instanceof RefusedWaveformsError

const refuseName = (): Promise<never> => Promise.reject(new Error(NAME_IS_NOT_UTF8))
