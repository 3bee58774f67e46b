import { stat, type FileHandle } from 'node:fs/promises'
import { basename } from 'node:path'
import { WakeUp } from '../../background/wake-up.ts'
import { codeOf, toError } from '../../errors/thrown.ts'
import { describeExposure, findExposure } from '../exposed-folder.ts'
import { copyBase } from './copy-base.ts'
import type { CopyChange, CopyOptions, CopyState } from './copy-state.ts'
import type { FollowedDatabase } from './followed-database.ts'
import { listGenerations, makeGeneration, readBase, writeBase } from './generation.ts'
import { keptFrom } from './kept-from.ts'
import { makeRoom, removeOldGenerations } from './old-generations.ts'
import { formatPiece } from './piece.ts'
import { readChain } from './piece-files.ts'
import { PieceWriter } from './piece-writer.ts'
import { rollForward } from './roll-forward.ts'
import { removeOldSideFiles, type SideFiles } from './side-files.ts'
import { StateFile, TakenFolder } from './state-file.ts'

const RETRY_MILLISECONDS = 5_000

/** What takes longer is a problem. */
const ANSWER_MILLISECONDS = 10_000

/** How often old pieces and generations are removed. */
const REMOVE_MILLISECONDS = 3_600_000

type ShipmentOptions = CopyOptions & {
  database: FollowedDatabase
  /** The database file. Closed only after the connections of this process. */
  file: FileHandle
  sideFiles: SideFiles
  /** Ends the shipment at once. */
  signal: AbortSignal
  now(): number
  report(change: CopyChange): void
  count(what: 'generations' | 'pieces' | 'bytes', by: number): void
}

/** Writes what one following of the database reads into the folder of the copy. */
export class Shipment {
  readonly #options: ShipmentOptions
  readonly #stateFile: StateFile
  readonly #wake = new WakeUp()
  #isFinishing = false
  #removeAt = 0
  /** Whether old pieces could not be removed. */
  #isUntidy = false
  #generation = ''
  /** The last piece that is stored. */
  #last = { number: 0, sum: '' }
  /** Whether the generation can be restored. */
  #isWhole = false
  #isBaseCopied = false
  #baseFailure: Error | undefined

  constructor(options: ShipmentOptions) {
    this.#options = options
    this.#stateFile = new StateFile(options.to, options.now)
  }

  /** Writes a last piece and ends. The database has to be closed before. */
  finish(): void {
    this.#isFinishing = true
    this.#wake.signal()
  }

  /** Writes until it is finished; throws where the copy cannot go on. */
  async run(): Promise<void> {
    const { signal, seconds, report } = this.#options
    await this.#retrying(() => this.#requireFolder())
    await this.#retrying(() => this.#stateFile.write())
    const hasResumed = await this.#retrying(() => this.#resume())
    if (!hasResumed) await this.#retrying(() => this.#begin())
    report({ state: this.#state(), generation: basename(this.#generation) })
    const stop = new AbortController()
    const base = this.#isWhole ? undefined : this.#copyBase(AbortSignal.any([stop.signal, signal]))
    try {
      await using writer = new PieceWriter(this.#generation)
      while (true) {
        signal.throwIfAborted()
        const isLast = this.#isFinishing
        await this.#ship(writer, isLast)
        if (isLast) return
        await this.#removeOld()
        await this.#wake.wait(seconds * 1000)
      }
    } finally {
      stop.abort()
      await base
    }
  }

  /** The folder is not made: where a disk is not mounted, its mount point would take the copy. */
  async #requireFolder(): Promise<void> {
    const { to, dataFolder, report } = this.#options
    const [found, data] = await Promise.all([stat(to), stat(dataFolder)])
    if (!found.isDirectory()) throw new Error('it is not a folder')
    const exposure = await findExposure(to, dataFolder)
    report({
      isOnSameDisk: found.dev === data.dev,
      exposure: exposure && describeExposure(`the continuous copy in ${to}`, exposure),
    })
  }

  /** Copies the database file; the piece after it makes the generation whole. */
  async #copyBase(signal: AbortSignal): Promise<void> {
    const { file: database, report, to } = this.#options
    const folder = this.#generation
    const progress = (copiedBytes: number, bytes: number): void =>
      report({ base: { copiedBytes, bytes } })
    try {
      await copyBase({ database, folder, signal, progress })
      this.#isBaseCopied = true
    } catch (error) {
      this.#baseFailure = signal.aborted
        ? toError(error)
        : new Error(describeFailure(to, error), { cause: error })
    }
    this.#wake.signal()
  }

  async #ship(writer: PieceWriter, isLast: boolean): Promise<void> {
    const { database, sideFiles, signal, report, count } = this.#options
    if (this.#baseFailure !== undefined) throw this.#baseFailure
    const makesWhole = this.#isBaseCopied && !this.#isWhole
    const { changed, ...cut } = database.cut()
    if (changed.size > 0 || makesWhole || isLast) {
      const number = this.#last.number + 1
      const piece = await formatPiece({ number, previous: this.#last.sum, ...cut }, changed)
      await this.#retrying(() => writer.append(piece))
      this.#last = { number, sum: piece.sum }
      count('pieces', 1)
      count('bytes', piece.bytes.length)
    }
    await this.#retrying(() => sideFiles.copyChanged(this.#generation, cut.at))
    if (makesWhole) {
      const base = { first: 1, previous: '', wholeAfter: this.#last.number, wholeAt: cut.at }
      await this.#retrying(() => writeBase(this.#generation, base))
      this.#isWhole = true
      report({ state: 'follows', base: undefined })
      this.#removeAt = 0
    }
    await this.#retrying(() => this.#stateFile.write(this.#isWhole ? cut.at : undefined))
    signal.throwIfAborted()
    if (!this.#isWhole) return
    report({ copiedThrough: cut.at })
    // Also the one that has ended what was tried before.
    if (!this.#isUntidy) report({ problem: undefined })
  }

  #state(): CopyState['state'] {
    if (this.#generation === '') return 'waits'
    return this.#isWhole ? 'follows' : 'begins'
  }

  /** Tries again until the folder takes it. */
  async #retrying<Result>(work: () => Promise<Result>): Promise<Result> {
    const { signal, report, to } = this.#options
    let hasFailed = false
    while (true) {
      signal.throwIfAborted()
      const silent = setTimeout(() => {
        hasFailed = true
        const problem = `The folder ${to} does not answer. Look after its disk or its host.`
        report({ state: 'waits', problem })
      }, ANSWER_MILLISECONDS).unref()
      try {
        const result = await work()
        if (hasFailed) report({ state: this.#state(), problem: undefined })
        return result
      } catch (error) {
        if (error instanceof TakenFolder || this.#isFinishing) throw error
        hasFailed = true
        report({ state: 'waits', problem: describeFailure(to, error) })
      } finally {
        clearTimeout(silent)
      }
      await this.#wake.wait(RETRY_MILLISECONDS)
    }
  }

  /** Continues the newest generation where nothing was committed that neither it nor the log has. */
  async #resume(): Promise<boolean> {
    const { to, database } = this.#options
    const folder = (await listGenerations(to)).at(-1)
    const base = folder === undefined ? undefined : await readBase(folder)
    if (folder === undefined || base === undefined) return false
    const { pieces, damage } = await readChain(folder, base)
    const last = pieces.at(-1)
    if (damage !== undefined || last === undefined) return false
    const { number, place, closed, at } = last.header
    this.#options.signal.throwIfAborted()
    if (number < base.wholeAfter || !database.follower.continues(place, closed)) {
      this.#options.report({ copiedThrough: at })
      return false
    }
    this.#generation = folder
    this.#last = { number, sum: last.sum }
    this.#isWhole = true
    return true
  }

  async #begin(): Promise<void> {
    const { to, now, count } = this.#options
    await makeRoom(to)
    this.#generation = await makeGeneration(to, now())
    count('generations', 1)
  }

  /** Removes what is older than the days to keep. */
  async #removeOld(): Promise<void> {
    const { to, keepDays, now, report } = this.#options
    if (!this.#isWhole || performance.now() < this.#removeAt) return
    this.#removeAt = performance.now() + REMOVE_MILLISECONDS
    try {
      const before = await rollForward(this.#generation, (moments) =>
        keptFrom(moments, now(), keepDays),
      )
      await removeOldGenerations(to, this.#generation, before)
      await removeOldSideFiles(this.#generation, before)
      if (this.#isUntidy) report({ problem: undefined })
      this.#isUntidy = false
    } catch (error) {
      this.#isUntidy = true
      report({ problem: describeFailure(to, error) })
    }
  }
}

const describeFailure = (to: string, error: unknown): string =>
  codeOf(error) === 'ENOENT'
    ? `The folder ${to} of backup.continuous.to, or what was in it, is gone. Mount its disk or create the folder.`
    : `The folder ${to} takes no files: ${toError(error).message}. Free or repair it; copying goes on by itself.`
