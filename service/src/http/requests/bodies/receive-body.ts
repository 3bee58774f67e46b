import { createGunzip } from 'node:zlib'
import type { IncomingMessage } from 'node:http'
import type { Readable } from 'node:stream'
import { RefusedError } from '../../../errors/refused-error.ts'
import type { BodyLease } from './body-budget.ts'

/** How large a body may become. */
export type BodyLimits = {
  bytes: number
  /** What the sentence about it names: a setting, or the path. */
  bytesName: string
  /** Unpacked bytes for each byte that was sent. */
  ratio: number
}

/** So much memory a body gets at first that does not say how long it is. */
const FIRST_BYTES = 16 * 1024

/** Up to here nobody minds how small a body was sent. */
const RATIO_FREE_BYTES = 1024 * 1024

const INFLATED_CHUNK_BYTES = 64 * 1024

export type ReceiveOptions = {
  /** Sees each piece as it comes, and may refuse it. */
  look?: (piece: Uint8Array) => void
  /** Whether the bytes are handed to a thread: then they share their memory with nothing. */
  isHandedOver?: boolean
}

/**
 * Reads a body to its end and unpacks it.
 *
 * Everything is counted on the way: what goes beyond a limit is refused there, whatever follows.
 */
export async function receiveBody(
  message: IncomingMessage,
  lease: BodyLease,
  limits: BodyLimits,
  { look = () => {}, isHandedOver = false }: ReceiveOptions = {},
): Promise<Uint8Array<ArrayBuffer>> {
  const said = readLength(message)
  if (said !== undefined && said > limits.bytes) throw tooLarge(limits)
  const isPacked = isGzip(message)
  if (!isPacked && !isHandedOver && said !== undefined && said <= FIRST_BYTES)
    return receiveSmall(message, said, look)
  let sent = 0
  const count = (chunk: Uint8Array): void => void (sent += chunk.length)
  message.on('data', count)
  const { source, stop } = isPacked ? unpack(message) : { source: message, stop: () => {} }

  try {
    const first = isPacked ? FIRST_BYTES : (said ?? FIRST_BYTES)
    await lease.growTo(first)
    let memory = new ArrayBuffer(first)
    let length = 0
    // Each piece is put in its place as it comes: to join a large body at its end would keep others
    // waiting, 30 to 50 ms for 50 MB.
    for await (const piece of piecesOf(source)) {
      const end = length + piece.length
      if (end > limits.bytes || sent > limits.bytes) throw tooLarge(limits)
      if (end > RATIO_FREE_BYTES && end > sent * limits.ratio) throw tooDense(limits)
      look(piece)
      if (end > memory.byteLength) {
        const larger = Math.min(Math.max(end, 2 * memory.byteLength), Math.max(end, limits.bytes))
        await lease.growTo(larger)
        memory = memory.transfer(larger)
      }
      new Uint8Array(memory).set(piece, length)
      length = end
    }
    if (said !== undefined && sent !== said) throw notAsLong()
    return new Uint8Array(length === memory.byteLength ? memory : memory.transfer(length))
  } finally {
    message.off('data', count)
    stop()
  }
}

/** The same of one that says it is small: most requests, and without the cost of a large one. */
function receiveSmall(
  message: IncomingMessage,
  said: number,
  look: (piece: Uint8Array) => void,
): Promise<Uint8Array<ArrayBuffer>> {
  return new Promise((resolve, reject) => {
    const pieces: Buffer<ArrayBuffer>[] = []
    let sent = 0
    const take = (piece: Buffer<ArrayBuffer>): void => {
      sent += piece.length
      pieces.push(piece)
      try {
        look(piece)
      } catch (error) {
        stop()
        reject(error as Error)
      }
    }
    const end = (): void => {
      stop()
      if (sent !== said) return reject(notAsLong())
      resolve(pieces.length === 1 ? pieces[0]! : Buffer.concat(pieces))
    }
    const breakOff = (error?: Error): void => {
      stop()
      reject(notWellFormed(error))
    }
    const stop = (): void => {
      message.off('data', take).off('end', end).off('error', breakOff).off('close', breakOff)
      message.pause()
    }
    if (message.destroyed) return reject(notWellFormed())
    message.on('data', take).on('end', end).on('error', breakOff).on('close', breakOff)
  })
}

/** What Content-Length says; undefined where nobody says it. */
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

function unpack(message: IncomingMessage): { source: Readable; stop(): void } {
  const unpacked = createGunzip({ chunkSize: INFLATED_CHUNK_BYTES })
  const fail = (error: Error): void => void unpacked.destroy(error)
  message.on('error', fail)
  message.pipe(unpacked)
  const stop = (): void => {
    message.unpipe(unpacked)
    message.off('error', fail)
    unpacked.destroy()
  }
  return { source: unpacked, stop }
}

/** The pieces of a body; one that breaks off is the sender's fault. */
async function* piecesOf(source: Readable): AsyncGenerator<Uint8Array> {
  try {
    yield* source.iterator({ destroyOnReturn: false }) as AsyncIterable<Uint8Array>
  } catch (error) {
    if (error instanceof RefusedError || isOfZlib(error)) throw error
    throw notWellFormed(error)
  }
}

const isOfZlib = (error: unknown): boolean =>
  String((error as NodeJS.ErrnoException | undefined)?.code).startsWith('Z_')

const notWellFormed = (cause?: unknown): RefusedError =>
  new RefusedError('invalid', 'the request is not well-formed', { cause })

const notAsLong = (): RefusedError =>
  new RefusedError('invalid', 'the body is not as long as Content-Length says')

const tooLarge = ({ bytes, bytesName }: BodyLimits): RefusedError =>
  new RefusedError(
    'tooLarge',
    `the body is larger than this service accepts: at most ${bytes} bytes, unpacked (${bytesName})`,
  )

const tooDense = ({ ratio }: BodyLimits): RefusedError =>
  new RefusedError(
    'tooLarge',
    `the body is packed too densely: at most ${ratio} bytes for each that was sent (http.maxInflationRatio)`,
  )
