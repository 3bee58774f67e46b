import { readFile } from 'node:fs/promises'
import { basename } from 'node:path'
import type { Import, Replacement } from '@plumbline/contract'
import type { Logger } from 'pino'
import { KeyedQueue } from '../../concurrency/keyed-queue.ts'
import { SerialQueue } from '../../concurrency/serial-queue.ts'
import { RefusedError } from '../../errors/refused-error.ts'
import { megabytesOf } from '../../errors/show.ts'
import type { Storage } from '../../storage/storage.ts'
import type { ImportSettings } from '../files/run-import.ts'
import { ImportFolder, type StoredImport } from './import-folder.ts'
import { ImportStop, LiveImport, type ImportEnd } from './live-import.ts'

type ImportJobsOptions = {
  dataFolder: string
  storage: Storage
  settings: ImportSettings
  /** The largest file. */
  maxBytes: number
  /** Throws a `RefusedError` while nothing may be stored. */
  requireIntake(): void
  log: Pick<Logger, 'error' | 'info'>
  now(): number
}

type NewImport = {
  name: string
  /** The text of a mapping file. */
  mapping: string
  members?: string | undefined
  replace?: Replacement | undefined
  dryRun?: boolean | undefined
}

type FilePart = { offset: number; bytes: Uint8Array; isLast: boolean }

/** Imports that have not ended. */
const UNFINISHED_MAXIMUM = 20
/** Imports that are listed; older ones are forgotten, with their mappings. */
const KEPT = 200
/** An instance that was not seen for this long has stopped. */
const SILENT_MILLISECONDS = 30_000
/** An import that waits this long for a part of its file gets no further one. */
const ABANDONED_MILLISECONDS = 3_600_000
const RETRY_SECONDS = 60

const STOPPED: ImportEnd = {
  state: 'interrupted',
  problem: 'The service stopped. Records stored so far are kept. Start the import again.',
}
const ABANDONED: ImportEnd = {
  state: 'interrupted',
  problem: 'The rest of its file did not come. Start the import again.',
}

/** Imports files that clients send, one after the other, and keeps what became of them. */
export class ImportJobs implements AsyncDisposable {
  readonly #options: ImportJobsOptions
  readonly #folder: ImportFolder
  readonly #starts = new SerialQueue()
  /** What clients do with each import, in its order. */
  readonly #calls = new KeyedQueue<number>()
  readonly #runs = new SerialQueue()
  /** The imports that this instance runs or will run. */
  readonly #live = new Map<number, LiveImport>()
  #isStopping = false

  constructor(options: ImportJobsOptions) {
    this.#options = options
    this.#folder = new ImportFolder(options.dataFolder)
  }

  /** Begins an import. A wrong mapping is refused before the file is sent. */
  async start({ mapping, replace, ...rest }: NewImport): Promise<Import> {
    const { readAnyMapping } = await import('../formats/mapping.ts')
    const isOfRows = 'records' in readAnyMapping(mapping, 'mapping')
    if (replace !== undefined && !isOfRows)
      throw new RefusedError('invalid', '"replace" needs a mapping of rows')
    return this.#starts.run(async () => {
      await this.#makeRoom()
      const record = newRecord({ ...rest, replace }, this.#options.now())
      return shown(await this.#folder.add(record, mapping))
    })
  }

  /** Takes a part of the file; after the last one the import runs. */
  receive(id: number, { offset, bytes, isLast }: FilePart): Promise<Import> {
    return this.#calls.run(new Set([id]), async () => {
      const found = await this.#get(id)
      const end = offset + bytes.length
      // Sent again, since the response to the last part was lost.
      if (found.state !== 'waiting' && isLast && end === found.bytes) return shown(found)
      if (found.state !== 'waiting')
        throw new RefusedError(
          'invalid',
          `import ${id} takes no part of a file: it is ${found.state}`,
        )
      this.#check(found, offset, end)
      await this.#folder.writePart(id, offset, bytes)
      const state = isLast ? 'queued' : 'waiting'
      const received: StoredImport = { ...found, state, bytes: end, seenAt: this.#options.now() }
      await this.#folder.write(received)
      if (isLast) this.#queue(received)
      return shown(received)
    })
  }

  /** Imports, newest first; `before` is the last id of the page before. */
  async list({ before = Infinity, limit }: { before?: number | undefined; limit: number }) {
    const ids = (await this.#folder.ids()).filter((id) => id < before).slice(0, limit)
    const found = await Promise.all(ids.map((id) => this.#find(id)))
    return found.filter((one) => one !== undefined).map(shown)
  }

  async get(id: number): Promise<Import> {
    return shown(await this.#get(id))
  }

  /** Stops an import; what it stored is kept. */
  cancel(id: number): Promise<void> {
    return this.#calls.run(new Set([id]), async () => {
      const found = await this.#get(id)
      if (found.endedAt !== null)
        throw new RefusedError('invalid', `import ${id} has ended: it is ${found.state}`)
      const live = this.#live.get(id)
      if (live !== undefined) live.stop()
      else if (found.state === 'waiting') await this.#end(found, { state: 'cancelled' })
      else await this.#folder.askToStop(id)
    })
  }

  /** Stops the imports of this instance; they are interrupted. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#isStopping = true
    for (const live of this.#live.values()) live.stop(STOPPED)
    await this.#runs.run(async () => {})
  }

  #check({ id, bytes }: StoredImport, offset: number, end: number): void {
    const { maxBytes, requireIntake } = this.#options
    if (offset > bytes)
      throw new RefusedError(
        'conflict',
        `The part begins at byte ${offset}, and ${bytes} bytes of the file of import ${id} were received. Continue there.`,
      )
    if (end > maxBytes)
      throw new RefusedError(
        'tooLarge',
        `the file is larger than ${megabytesOf(maxBytes)} (ingest.maxImportMegabytes)`,
      )
    requireIntake()
  }

  #queue(received: StoredImport): void {
    const { log, now } = this.#options
    const onError = (error: unknown): void =>
      log.error({ err: error }, 'the state of an import could not be written')
    const live = new LiveImport(received, { folder: this.#folder, now, onError })
    this.#live.set(received.id, live)
    if (this.#isStopping) live.stop(STOPPED)
    void this.#runs
      .run(async () => live.end(await this.#run(live)))
      .catch(onError)
      .finally(() => this.#live.delete(received.id))
  }

  /** Runs an import to its end. */
  async #run(live: LiveImport): Promise<ImportEnd> {
    try {
      live.signal.throwIfAborted()
      await this.#importFile(live)
      live.signal.throwIfAborted()
      return { state: 'done' }
    } catch (error) {
      if (error instanceof ImportStop) return error.end
      if (error instanceof RefusedError) return { state: 'failed', problem: error.message }
      this.#options.log.error({ err: error, import: live.record.id }, 'an import failed')
      return {
        state: 'failed',
        problem: 'The import failed; the log of the service has the cause.',
      }
    }
  }

  async #importFile(live: LiveImport): Promise<void> {
    const { storage, settings, requireIntake, log } = this.#options
    const { id, name, members, replace, isDryRun } = live.record
    live.note({ state: 'running' })
    await live.save()
    // Loaded here, so that `serve` does not load what reads YAML and files.
    const { readAnyMapping } = await import('../formats/mapping.ts')
    const { runImport } = await import('../files/run-import.ts')
    const mappingFile = this.#folder.mappingFile(id)
    const { isWhole, isAmbiguous } = await runImport(storage, {
      files: [{ path: this.#folder.dataFile(id), shownAs: name }],
      mapping: readAnyMapping(await readFile(mappingFile, 'utf8'), 'mapping'),
      mappingFile,
      members,
      replace,
      isDry: isDryRun,
      settings,
      requireIntake,
      isBesideLive: () => true,
      signal: live.signal,
      progress: {
        onLine: (line) => live.report.add(line),
        onMember: (member) =>
          live.note({ member: member.name, memberBytes: member.bytes, readBytes: 0 }),
        onBytes: (readBytes) => live.note({ readBytes }),
      },
      async onBegin(change) {
        live.note({ change: change ?? null })
        log.info({ import: id, change }, 'an import began')
      },
    })
    if (!live.signal.aborted) live.note({ isWhole, isAmbiguous })
  }

  async #get(id: number): Promise<StoredImport> {
    const found = await this.#find(id)
    if (found === undefined) throw new RefusedError('absent', `There is no import ${id}.`)
    return found
  }

  /** An import as it is now; one whose instance has stopped is interrupted. */
  async #find(id: number): Promise<StoredImport | undefined> {
    const live = this.#live.get(id)
    if (live !== undefined) return live.record
    const found = await this.#folder.find(id)
    if (found === undefined || found.endedAt !== null) return found
    const silence = this.#options.now() - found.seenAt
    const isWaiting = found.state === 'waiting'
    if (silence < (isWaiting ? ABANDONED_MILLISECONDS : SILENT_MILLISECONDS)) return found
    await this.#end(found, isWaiting ? ABANDONED : STOPPED)
    return this.#folder.find(id)
  }

  async #end(found: StoredImport, end: ImportEnd): Promise<void> {
    await this.#folder.removeData(found.id)
    await this.#folder.write({ ...found, ...end, endedAt: this.#options.now() })
  }

  /** Forgets the oldest imports; refuses a further one while many have not ended. */
  async #makeRoom(): Promise<void> {
    let unfinished = 0
    for (const [at, id] of (await this.#folder.ids()).entries()) {
      const found = await this.#find(id)
      if (found?.endedAt === null) unfinished++
      else if (at >= KEPT) await this.#folder.remove(id)
    }
    if (unfinished < UNFINISHED_MAXIMUM) return
    throw new RefusedError(
      'tooMany',
      `${unfinished} imports have not ended. Cancel one, or try again when one has ended.`,
      { retryAfterSeconds: RETRY_SECONDS },
    )
  }
}

function newRecord(
  { name, members, replace, dryRun = false }: Omit<NewImport, 'mapping'>,
  now: number,
): Omit<StoredImport, 'id'> {
  return {
    // A name from another system may be a path.
    name: basename(name.replaceAll('\\', '/')) || 'file',
    state: 'waiting',
    isDryRun: dryRun,
    createdAt: now,
    endedAt: null,
    bytes: 0,
    member: null,
    memberBytes: null,
    readBytes: 0,
    change: null,
    isWhole: null,
    isAmbiguous: null,
    lines: [],
    problem: null,
    members,
    replace,
    seenAt: now,
  }
}

const shown = ({
  members: _members,
  replace: _replace,
  seenAt: _seenAt,
  ...record
}: StoredImport): Import => record
