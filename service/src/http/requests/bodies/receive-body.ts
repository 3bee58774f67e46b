import { createGunzip } from 'node:zlib'
import type { IncomingMessage } from 'node:http'
import type { Readable } from 'node:stream'
import { RefusedError } from '../../../errors/refused-error.ts'
import { codeOf, toError } from '../../../errors/thrown.ts'
import type { BodyLease } from './body-budget.ts'

/** How large a body may become. */
type BodyLimits = {
  bytes: number
  /** What sets `bytes`: a setting, or the path. */
  bytesName: string
  /** Decompressed bytes for each byte that was sent. */
  ratio: number
}

/** The first buffer of a body of unknown length. */
const FIRST_BYTES = 16 * 1024

/** Up to this size a body may be compressed to any ratio. */
const RATIO_FREE_BYTES = 1024 * 1024

const INFLATED_CHUNK_BYTES = 64 * 1024

type ReceiveOptions = {
  /** Called with each chunk when it arrives; may throw. */
  inspect?: (chunk: Uint8Array) => void
  /** Whether the bytes get a buffer of their own, which can be transferred to a thread. */
  hasOwnBuffer?: boolean
}

/**
 * Receives a body and decompresses it.
 *
 * Refuses a body at the first chunk that exceeds a limit.
 */
export async function receiveBody(
  message: IncomingMessage,
  lease: BodyLease,
  limits: BodyLimits,
  { inspect = () => {}, hasOwnBuffer = false }: ReceiveOptions = {},
): Promise<Uint8Array<ArrayBuffer>> {
  const announced = readLength(message)
  if (announced !== undefined && announced > limits.bytes) throw tooLarge(limits)
  const isCompressed = isGzip(message)
  if (!isCompressed && !hasOwnBuffer && announced !== undefined && announced <= FIRST_BYTES)
    return receiveSmall(message, announced, inspect)
  const first = isCompressed ? FIRST_BYTES : (announced ?? FIRST_BYTES)
  // Before anything listens: a message with a listener flows, and what comes while it waits is lost.
  await lease.growTo(first)
  let sent = 0
  const count = (chunk: Uint8Array): void => void (sent += chunk.length)
  message.on('data', count)
  const source = isCompressed ? decompress(message) : asSent(message)

  try {
    let memory = new ArrayBuffer(first)
    let length = 0
    // Chunks are copied as they arrive: concatenating 50 MB at the end would block for 30 to 50 ms.
    for await (const chunk of readChunks(source)) {
      const end = length + chunk.length
      if (end > limits.bytes || sent > limits.bytes) throw tooLarge(limits)
      if (end > RATIO_FREE_BYTES && end > sent * limits.ratio) throw tooDense(limits)
      inspect(chunk)
      if (end > memory.byteLength) {
        const larger = Math.min(Math.max(end, 2 * memory.byteLength), Math.max(end, limits.bytes))
        await lease.growTo(larger)
        memory = memory.transfer(larger)
      }
      new Uint8Array(memory).set(chunk, length)
      length = end
    }
    if (source.hasRest(sent)) throw bytesAfterGzip()
    if (announced !== undefined && sent !== announced) throw wrongLength()
    return new Uint8Array(length === memory.byteLength ? memory : memory.transfer(length))
  } finally {
    message.off('data', count)
    source.stop()
  }
}

/** Receives a small body at a lower cost: most bodies are small. */
function receiveSmall(
  message: IncomingMessage,
  announced: number,
  inspect: (chunk: Uint8Array) => void,
): Promise<Uint8Array<ArrayBuffer>> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer<ArrayBuffer>[] = []
    let sent = 0
    const take = (chunk: Buffer<ArrayBuffer>): void => {
      sent += chunk.length
      chunks.push(chunk)
      try {
        inspect(chunk)
      } catch (error) {
        stop()
        reject(toError(error))
      }
    }
    const end = (): void => {
      stop()
      if (sent !== announced) return reject(wrongLength())
      const [first, ...others] = chunks
      resolve(first !== undefined && others.length === 0 ? first : Buffer.concat(chunks))
    }
    const abort = (error?: Error): void => {
      stop()
      reject(notWellFormed(error))
    }
    const stop = (): void => {
      message.off('data', take).off('end', end).off('error', abort).off('close', abort)
      message.pause()
    }
    if (message.destroyed) return reject(notWellFormed())
    message.on('data', take).on('end', end).on('error', abort).on('close', abort)
  })
}

/** The value of `Content-Length`; undefined without one. */
export function readLength({ headers }: Pick<IncomingMessage, 'headers'>): number | undefined {
  const length = headers['content-length']
  return length === undefined ? undefined : Number(length)
}

function isGzip({ headers }: IncomingMessage): boolean {
  const encoding = headers['content-encoding']?.trim().toLowerCase() ?? 'identity'
  if (encoding === 'identity' || encoding === '') return false
  if (encoding === 'gzip' || encoding === 'x-gzip') return true
  throw new RefusedError('invalid', 'Content-Encoding must be gzip or left out')
}

type BodySource = {
  stream: Readable
  stop(): void
  /** Whether the source ended before the bytes that were sent. */
  hasRest(sent: number): boolean
  /** The error to be thrown for one of the source. */
  explain(error: unknown): unknown
}

const asSent = (message: IncomingMessage): BodySource => ({
  stream: message,
  stop: () => {},
  hasRest: () => false,
  explain: (error) => error,
})

function decompress(message: IncomingMessage): BodySource {
  const gunzip = createGunzip({ chunkSize: INFLATED_CHUNK_BYTES })
  const fail = (error: Error): void => void gunzip.destroy(error)
  const start: number[] = []
  const see = (chunk: Uint8Array): void => {
    start.push(...chunk.subarray(0, GZIP_START.length - start.length))
    if (start.length === GZIP_START.length) message.off('data', see)
  }
  message.on('data', see)
  message.on('error', fail)
  message.pipe(gunzip)
  const stop = (): void => {
    message.unpipe(gunzip)
    message.off('data', see).off('error', fail)
    gunzip.destroy()
  }
  const isGzipAtStart = (): boolean => GZIP_START.every((byte, at) => start[at] === byte)
  return {
    stream: gunzip,
    stop,
    // Node ends the decompressed data before a zero byte that follows a member, and reads any other one
    // as the next member.
    hasRest: (sent) => gunzip.bytesWritten < sent,
    explain: (error) => (isNoMember(error) && isGzipAtStart() ? bytesAfterGzip() : error),
  }
}

const GZIP_START = [0x1f, 0x8b]

/** Whether bytes that had to be a gzip member do not begin like one. */
const isNoMember = (error: unknown): boolean =>
  codeOf(error) === 'Z_DATA_ERROR' && toError(error).message === 'incorrect header check'

/** The chunks of a body; throws a `RefusedError` when the client stops sending. */
async function* readChunks({ stream, explain }: BodySource): AsyncGenerator<Uint8Array> {
  try {
    yield* stream.iterator({ destroyOnReturn: false })
  } catch (error) {
    if (error instanceof RefusedError) throw error
    if (isZlibError(error)) throw explain(error)
    throw notWellFormed(error)
  }
}

const isZlibError = (error: unknown): boolean => codeOf(error)?.startsWith('Z_') === true

const notWellFormed = (cause?: unknown): RefusedError =>
  new RefusedError('invalid', 'the request is not well-formed', { cause })

const wrongLength = (): RefusedError =>
  new RefusedError('invalid', 'the length of the body is not its Content-Length')

const bytesAfterGzip = (): RefusedError =>
  new RefusedError('invalid', 'the body has bytes after the end of its gzip data')

const tooLarge = ({ bytes, bytesName }: BodyLimits): RefusedError =>
  new RefusedError(
    'tooLarge',
    `the body is larger than this service accepts: at most ${bytes} bytes, decompressed (${bytesName})`,
  )

const tooDense = ({ ratio }: BodyLimits): RefusedError =>
  new RefusedError(
    'tooLarge',
    `the body is compressed too much: at most ${ratio} bytes for each byte that was sent (http.maxInflationRatio)`,
  )
