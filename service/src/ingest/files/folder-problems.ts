import { basename } from 'node:path'
import type { Logger } from 'pino'
import { fileOrigin } from '../../domain/rejects/reject-origin.ts'
import { RefusedError } from '../../errors/refused-error.ts'
import { codeOf, toError } from '../../errors/thrown.ts'
import { ReservedSpaceError } from '../formats/reserved-space-error.ts'
import type { RecordIngest } from '../record-ingest.ts'
import type { RejectWriter } from '../rejects/reject-writer.ts'
import type { FolderProgress } from './folder-state.ts'
import { RefusedWaveformsError } from './refused-waveforms-error.ts'

type FolderProblemsOptions = {
  /** The path of the folder. */
  folder: string
  progress: FolderProgress
  ingest: Pick<RecordIngest, 'clock'>
  rejects: Pick<RejectWriter, 'add'>
  log: Pick<Logger, 'info' | 'warn'>
}

/** Logs each problem of a folder and its files once, and keeps a reject of each refused file. */
export class FolderProblems {
  readonly #options: FolderProblemsOptions
  /** The logged problem of each path. */
  readonly #logged = new Map<string, string>()

  constructor(options: FolderProblemsOptions) {
    this.#options = options
  }

  /** Does work on the folder or on one of its files; undefined when it fails. */
  async attempt<Result>(
    path: string,
    work: () => Promise<Result>,
    signal: AbortSignal,
  ): Promise<Result | undefined> {
    const { folder, progress, log } = this.#options
    try {
      const result = await work()
      if (path !== folder) progress.setProblem(basename(path), undefined)
      if (this.#logged.delete(path)) log.info(`${path} can be read again`)
      return result
    } catch (error) {
      if (error === signal.reason) return undefined
      if (path === folder) progress.begin(toError(error).message)
      // It was there when the folder was listed: after a rotation it is found under its new name.
      else if (codeOf(error) === 'ENOENT') {
        progress.setBytesBehind(basename(path), 0)
        return undefined
      } else progress.setProblem(basename(path), toError(error).message)
      await this.#report(path, toError(error))
      return undefined
    }
  }

  /** Forgets files that are no longer listed. */
  keepOnly(names: ReadonlySet<string>): void {
    for (const path of this.#logged.keys())
      if (path !== this.#options.folder && !names.has(basename(path))) this.#logged.delete(path)
  }

  async #report(path: string, error: Error): Promise<void> {
    const { folder, progress, log } = this.#options
    const isRefusedFile = path !== folder && isInvalid(error)
    if (isRefusedFile) progress.setBytesBehind(basename(path), 0)
    const sentence = `${path} is not read for now: ${error.message}`
    if (this.#logged.get(path) === sentence) return
    this.#logged.set(path, sentence)
    log.warn(sentence)
    if (isRefusedFile) await this.#keepReject(path, error)
  }

  /** A file that is refused as a whole stays in its folder; its reject has no bytes. */
  async #keepReject(path: string, error: Error): Promise<void> {
    const { rejects, ingest } = this.#options
    const reject = { place: placeOf(error), reason: error.message, payload: Buffer.of() }
    const receivedAt = ingest.clock.now()
    await rejects.add([{ ...fileOrigin(path), ...reject, receivedAt }], { isLogged: true })
  }
}

const isInvalid = (error: Error): boolean =>
  error instanceof RefusedError && error.reason === 'invalid'

function placeOf(error: Error): string {
  if (error instanceof RefusedWaveformsError) return 'the whole file'
  return `line ${error instanceof ReservedSpaceError ? error.lines + 1 : 1}`
}
