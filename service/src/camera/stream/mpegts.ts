/** A packet of an MPEG transport stream has this many bytes (ISO/IEC 13818-1). */
export const PACKET_BYTES = 188

const SYNC_BYTE = 0x47
const NO_BYTES = Buffer.alloc(0)

/** The packets with this id say where the map of the program is. */
export const PAT_PID = 0

/** The stream type of H.264 in the map of a program. */
export const H264 = 0x1b

/** A packet, as far as it was read. */
export type Packet = {
  /** All of its bytes. */
  readonly bytes: Buffer
  readonly pid: number
  /** Whether a table or a frame begins in it. */
  readonly isUnitStart: boolean
  /** Whether a frame begins in it that can be decoded without those before. */
  readonly isRandomAccess: boolean
  /** What it carries: a portion of a table or frame. */
  readonly payload: Buffer
}

/** Finds the packets in bytes that arrive in any portions; bytes outside of packets are skipped. */
export class PacketReader {
  #rest: Buffer = NO_BYTES;

  /** The packets that are whole with these bytes. They share the memory of the bytes. */
  *push(chunk: Buffer): Generator<Packet> {
    const bytes = this.#rest.length === 0 ? chunk : Buffer.concat([this.#rest, chunk])
    let at = bytes.indexOf(SYNC_BYTE)
    while (at !== -1 && at + PACKET_BYTES <= bytes.length) {
      const next = at + PACKET_BYTES
      yield readPacket(bytes.subarray(at, next))
      at = bytes.indexOf(SYNC_BYTE, next)
    }
    this.#rest = at === -1 ? NO_BYTES : Buffer.from(bytes.subarray(at))
  }
}

/** Reads a packet; one whose header contradicts its length carries nothing. */
export function readPacket(bytes: Buffer): Packet {
  const [, high = 0, low = 0, control = 0, adaptationBytes = 0, flags = 0] = bytes
  const hasAdaptation = (control & 0x20) !== 0
  const hasPayload = (control & 0x10) !== 0
  const from = hasAdaptation ? 5 + adaptationBytes : 4
  return {
    bytes,
    pid: ((high & 0x1f) << 8) | low,
    isUnitStart: (high & 0x40) !== 0,
    isRandomAccess: hasAdaptation && adaptationBytes > 0 && (flags & 0x40) !== 0,
    payload: hasPayload ? bytes.subarray(from) : NO_BYTES,
  }
}

/** The packet id of the map of the first program of a PAT; undefined where it is not whole or has none. */
export function readPat(payload: Buffer): number | undefined {
  const section = readSection(payload, 0x00) ?? NO_BYTES
  for (let at = 8; at + 4 <= section.length; at += 4)
    if (section.readUInt16BE(at) !== 0) return section.readUInt16BE(at + 2) & 0x1fff
  return undefined
}

/** An elementary stream of a program. */
export type ElementaryStream = { readonly pid: number; readonly type: number }

/** The first stream of a PMT; undefined where the table is not whole or has none. */
export function readPmt(payload: Buffer): ElementaryStream | undefined {
  const section = readSection(payload, 0x02)
  if (section === undefined || section.length < 12) return undefined
  const at = 12 + (section.readUInt16BE(10) & 0x0fff)
  if (at + 5 > section.length) return undefined
  return { type: section.readUInt8(at), pid: section.readUInt16BE(at + 1) & 0x1fff }
}

/** A section of a table without its checksum, if it is within one packet and of the kind. */
function readSection(payload: Buffer, tableId: number): Buffer | undefined {
  const [pointer = 0] = payload
  const section = payload.subarray(1 + pointer)
  if (section.length < 3 || section[0] !== tableId) return undefined
  const end = 3 + (section.readUInt16BE(1) & 0x0fff)
  return end > section.length || end < 12 ? undefined : section.subarray(0, end - 4)
}

/** Ticks of the clock of time stamps in a second. */
export const TICKS_PER_SECOND = 90_000

/** What begins a frame (the header of a PES packet), with times in ticks. */
export type FrameStart = {
  readonly presentationTime: number
  readonly decodeTime: number
  readonly headerBytes: number
}

/** Reads the header of a PES packet; undefined without a time stamp. */
export function readFrameStart(payload: Buffer): FrameStart | undefined {
  if (payload.length < 14 || payload.readUIntBE(0, 3) !== 1) return undefined
  const stamps = payload.readUInt8(7) >> 6
  if (stamps < 2) return undefined
  const hasDecodeTime = stamps === 3 && payload.length >= 19
  const presentationTime = readTimeStamp(payload, 9)
  return {
    presentationTime,
    decodeTime: hasDecodeTime ? readTimeStamp(payload, 14) : presentationTime,
    headerBytes: Math.min(9 + payload.readUInt8(8), payload.length),
  }
}

/** 33 bits, with marker bits in between. */
function readTimeStamp(bytes: Buffer, at: number): number {
  const high = (bytes.readUInt8(at) >> 1) & 0x07
  const middle = bytes.readUInt16BE(at + 1) >> 1
  const low = bytes.readUInt16BE(at + 3) >> 1
  return high * 2 ** 30 + middle * 2 ** 15 + low
}

const WRAP = 2 ** 33

/** The ticks from one time stamp to another, the shorter way around: time stamps begin again after 26 hours. */
export function ticksBetween(from: number, to: number): number {
  const ahead = (((to - from) % WRAP) + WRAP) % WRAP
  return ahead < WRAP / 2 ? ahead : ahead - WRAP
}
