import { splitNalUnits } from './nal-units.ts'
import {
  PACKET_BYTES,
  PacketReader,
  PAT_PID,
  readFrameStart,
  readPacket,
  readPat,
  readPmt,
  ticksBetween,
  type ElementaryStream,
  type FrameStart,
  type Packet,
} from './mpegts.ts'

/** More bytes belong to no frame of a camera. */
const LARGEST_FRAME_BYTES = 8 * 1024 * 1024

/** One picture of a stream, still in the packets in which it came. */
export type Frame = {
  /** Its packets, and those of tables until the next frame. */
  readonly bytes: Buffer
  /** The newest tables before it: a PAT and a PMT. */
  readonly tables: Buffer
  readonly stream: ElementaryStream
  /** Whether it can be decoded without the frames before. */
  readonly isKey: boolean
  /** In ticks; it goes on where time stamps begin again. */
  readonly decodeTime: number
  /** How much later it is shown than decoded, in ticks. */
  readonly shownAfter: number
}

/** Divides a transport stream with one video stream into its frames. */
export class FrameReader {
  readonly #packets = new PacketReader()
  #pat: Buffer | undefined
  #pmtPid: number | undefined
  #tables: Buffer | undefined
  #stream: ElementaryStream | undefined
  #begun: BegunFrame | undefined
  /** The last decode time: as it was sent, and as it goes on. */
  #last: { stamp: number; time: number } | undefined

  /** What the map of the program says of the video; undefined before it was read. */
  get stream(): ElementaryStream | undefined {
    return this.#stream
  }

  /** The frames that are whole with these bytes. A frame is whole when the next one begins. */
  *push(chunk: Buffer): Generator<Frame> {
    for (const packet of this.#packets.push(chunk)) {
      if (packet.isUnitStart && packet.payload.length > 0) {
        if (packet.pid === PAT_PID) this.#readPat(packet)
        else if (packet.pid === this.#pmtPid) this.#readPmt(packet)
        else if (packet.pid === this.#stream?.pid) {
          const frame = this.#endFrame()
          this.#begin(packet)
          if (frame !== undefined) yield frame
          continue
        }
      }
      this.#add(packet)
    }
  }

  #readPat(packet: Packet): void {
    const pid = readPat(packet.payload)
    if (pid === undefined) return
    this.#pat = Buffer.from(packet.bytes)
    this.#pmtPid = pid
  }

  #readPmt(packet: Packet): void {
    const stream = readPmt(packet.payload)
    if (stream === undefined || this.#pat === undefined) return
    this.#stream = stream
    this.#tables = Buffer.concat([this.#pat, packet.bytes])
  }

  #begin(packet: Packet): void {
    const start = readFrameStart(packet.payload)
    if (start === undefined || this.#tables === undefined || this.#stream === undefined) return
    this.#begun = {
      start,
      isKey: packet.isRandomAccess,
      tables: this.#tables,
      stream: this.#stream,
      packets: [packet.bytes],
      bytes: PACKET_BYTES,
    }
  }

  #add({ bytes }: Packet): void {
    if (this.#begun === undefined) return
    this.#begun.packets.push(bytes)
    this.#begun.bytes += PACKET_BYTES
    if (this.#begun.bytes > LARGEST_FRAME_BYTES) this.#begun = undefined
  }

  #endFrame(): Frame | undefined {
    const begun = this.#begun
    this.#begun = undefined
    if (begun === undefined) return undefined
    const { start, packets, isKey, tables, stream } = begun
    return {
      bytes: Buffer.concat(packets),
      tables,
      stream,
      isKey,
      decodeTime: this.#goOn(start.decodeTime),
      shownAfter: Math.max(ticksBetween(start.decodeTime, start.presentationTime), 0),
    }
  }

  #goOn(stamp: number): number {
    const { stamp: from, time } = this.#last ?? { stamp, time: stamp }
    this.#last = { stamp, time: time + ticksBetween(from, stamp) }
    return this.#last.time
  }
}

type BegunFrame = Pick<Frame, 'isKey' | 'tables' | 'stream'> & {
  start: FrameStart
  packets: Buffer[]
  bytes: number
}

/** The NAL units of a frame of H.264, without the packets around them. */
export function nalUnitsOf({ bytes, stream }: Frame): Buffer[] {
  const portions: Buffer[] = []
  for (let at = 0; at < bytes.length; at += PACKET_BYTES) {
    const { pid, isUnitStart, payload } = readPacket(bytes.subarray(at, at + PACKET_BYTES))
    if (pid !== stream.pid) continue
    const headerBytes = isUnitStart ? (readFrameStart(payload)?.headerBytes ?? 0) : 0
    portions.push(payload.subarray(headerBytes))
  }
  return splitNalUnits(Buffer.concat(portions))
}
