import { SourceError } from '../opened-source.ts'
import { headerOf, parseHead, type RtspMessage } from './rtsp-message.ts'

/** What a connection of RTSP carries: messages, and frames of media between them. */
export type RtspUnit =
  | { kind: 'message'; message: RtspMessage }
  /** `bytes` has the four bytes of its head too. */
  | { kind: 'frame'; channel: number; bytes: Buffer }

const MOST_MESSAGE_BYTES = 65_536
const MOST_GARBAGE_BYTES = 65_536

/** A frame begins with `$`, a channel and its length in two bytes. */
const FRAME_MARK = 0x24
const FRAME_HEAD_BYTES = 4

/** Cameras with a fault lose parts of frames: a higher number is no channel. */
const CHANNELS = 16

const METHODS =
  'OPTIONS DESCRIBE SETUP PLAY PAUSE TEARDOWN GET_PARAMETER SET_PARAMETER ANNOUNCE RECORD REDIRECT'

const STARTS: readonly string[] = [
  'RTSP/1.',
  'RTSP/2.',
  ...METHODS.split(' ').map((method) => `${method} `),
]

const FIRST_BYTES: ReadonlySet<number> = new Set([
  FRAME_MARK,
  ...STARTS.map((start) => start.charCodeAt(0)),
])

const LONGEST_START = Math.max(...STARTS.map(({ length }) => length))

/**
 * Divides what arrives into messages and frames.
 *
 * It finds its way again after some bytes that are neither. It throws a SourceError for a longer
 * message than 64 KB, and for as much garbage in a row.
 */
export class RtspReader {
  #rest: Buffer = Buffer.alloc(0)
  #garbage = 0

  read(chunk: Buffer): RtspUnit[] {
    let bytes = this.#rest.length === 0 ? chunk : Buffer.concat([this.#rest, chunk])
    const units: RtspUnit[] = []
    while (bytes.length > 0) {
      const next = this.#readUnit(bytes)
      if (next === undefined) break
      bytes = bytes.subarray(next.length)
      if (next.unit === undefined) this.#skipped(next.length)
      else {
        this.#garbage = 0
        units.push(next.unit)
      }
    }
    this.#rest = bytes
    return units
  }

  /** Reads what stands at the beginning; without a unit it is garbage, and undefined is too little. */
  #readUnit(bytes: Buffer): { length: number; unit?: RtspUnit } | undefined {
    if (bytes[0] === FRAME_MARK) {
      if (bytes.length < FRAME_HEAD_BYTES) return undefined
      const channel = bytes.readUInt8(1)
      if (channel >= CHANNELS) return { length: garbageBefore(bytes) }
      const length = FRAME_HEAD_BYTES + bytes.readUInt16BE(2)
      if (bytes.length < length) return undefined
      return { length, unit: { kind: 'frame', channel, bytes: bytes.subarray(0, length) } }
    }
    const start = bytes.toString('latin1', 0, LONGEST_START)
    if (STARTS.some((one) => start.startsWith(one))) return readMessage(bytes)
    if (STARTS.some((one) => one.startsWith(start))) return undefined
    return { length: garbageBefore(bytes) }
  }

  #skipped(length: number): void {
    this.#garbage += length
    if (this.#garbage > MOST_GARBAGE_BYTES)
      throw new SourceError('The camera sent something that is not RTSP.')
  }
}

/** The number of bytes before the next one with which a unit may begin. */
function garbageBefore(bytes: Buffer): number {
  const next = bytes.subarray(1).findIndex((byte) => FIRST_BYTES.has(byte))
  return next === -1 ? bytes.length : next + 1
}

function readMessage(bytes: Buffer): { length: number; unit: RtspUnit } | undefined {
  const [head, gap] = endOfHead(bytes) ?? []
  if (head === undefined || gap === undefined) {
    if (bytes.length > MOST_MESSAGE_BYTES) throw tooLong()
    return undefined
  }
  const parsed = parseHead(bytes.toString('latin1', 0, head))
  const bodyLength = Number(headerOf(parsed, 'content-length') ?? 0)
  const length = head + gap + bodyLength
  if (!(length <= MOST_MESSAGE_BYTES && bodyLength >= 0)) throw tooLong()
  if (bytes.length < length) return undefined
  const message = { ...parsed, body: bytes.subarray(head + gap, length) }
  return { length, unit: { kind: 'message', message } }
}

/** Where the lines before a body end, and the length of the empty line behind them. */
function endOfHead(bytes: Buffer): [number, number] | undefined {
  const gaps = ['\r\n\r\n', '\n\n'].map((gap): [number, number] => [
    bytes.indexOf(gap, 0, 'latin1'),
    gap.length,
  ])
  return gaps.filter(([at]) => at !== -1).toSorted(([one], [other]) => one - other)[0]
}

const tooLong = () => new SourceError('The camera sent a message of RTSP of more than 64 KB.')
