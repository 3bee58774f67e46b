import type { Readable } from 'node:stream'
import { toError } from '../../errors/thrown.ts'

/** What ffmpeg reads a camera from. Closing it ends every connection to the camera. */
export type OpenedSource = AsyncDisposable & {
  /** Arguments of ffmpeg up to and with `-i` and its value: whitelists, format, input. No secret is in them. */
  readonly input: readonly string[]
  /** What is piped into its standard input; undefined where it reads a port or a file. */
  readonly stdin: Readable | undefined
  /** Why the camera gave nothing more, as a sentence without secrets; undefined while it does, or if only ffmpeg knows. */
  failure(): string | undefined
}

/** Opens the source of a camera; throws a SourceError whose message may be shown. */
export type OpenSource = (source: string, signal: AbortSignal) => Promise<OpenedSource>

/** Why a source cannot be opened: a sentence for operators, without credentials. */
export class SourceError extends Error {
  override name = 'SourceError'
}

/** The sentence of what was thrown: other errors than a SourceError are faults of the service. */
export const sentenceOf = (thrown: unknown): string =>
  thrown instanceof SourceError
    ? thrown.message
    : `The service failed to read the camera (${toError(thrown).name}).`
