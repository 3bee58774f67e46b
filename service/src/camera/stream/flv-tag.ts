/** What begins an FLV stream with video only: the header, and the size of no tag before the first. */
export const FLV_HEADER: Buffer = Buffer.from('464c5601010000000900000000', 'hex')
export const TAG_HEADER = 11
/** Each tag is followed by its size. */
export const TAG_END = 4
/** Timestamps take 32 bits. */
export const TIME_RANGE = 2 ** 32

const VIDEO = 9
const METADATA = 18
const H264 = 7
const SEQUENCE = 0
const PICTURE = 1
const KEYFRAME = 1

/** A tag of FLV: what describes the stream, how its H.264 is to be decoded, or a picture of it. */
export type FlvTag = {
  kind: 'metadata' | 'sequence' | 'keyframe' | 'picture'
  milliseconds: number
  /** What is in the tag, without its header. */
  body: Buffer
}

/** A tag that stands at the beginning of bytes; undefined if it is of no use here, such as sound. */
export function readTag(bytes: Buffer): FlvTag | undefined {
  const kind = kindOf(bytes)
  if (kind === undefined) return undefined
  const milliseconds = bytes.readUInt8(7) * 2 ** 24 + bytes.readUIntBE(4, 3)
  return { kind, milliseconds, body: Buffer.from(bytes.subarray(TAG_HEADER)) }
}

function kindOf(bytes: Buffer): FlvTag['kind'] | undefined {
  if (bytes[0] === METADATA) return 'metadata'
  const form = bytes[TAG_HEADER] ?? 0
  if (bytes[0] !== VIDEO || (form & 0x0f) !== H264) return undefined
  const packet = bytes[TAG_HEADER + 1]
  if (packet === SEQUENCE) return 'sequence'
  if (packet !== PICTURE) return undefined
  return form >> 4 === KEYFRAME ? 'keyframe' : 'picture'
}

/** The bytes of a tag with another timestamp. */
export function writeTag({ kind, body }: FlvTag, milliseconds: number): Buffer {
  const bytes = Buffer.alloc(TAG_HEADER + body.length + TAG_END)
  bytes.writeUInt8(kind === 'metadata' ? METADATA : VIDEO, 0)
  bytes.writeUIntBE(body.length, 1, 3)
  bytes.writeUIntBE(milliseconds % 2 ** 24, 4, 3)
  bytes.writeUInt8(Math.floor(milliseconds / 2 ** 24) % 2 ** 8, 7)
  body.copy(bytes, TAG_HEADER)
  bytes.writeUInt32BE(TAG_HEADER + body.length, TAG_HEADER + body.length)
  return bytes
}
