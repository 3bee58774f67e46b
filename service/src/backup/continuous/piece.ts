import { createHash } from 'node:crypto'
import { promisify } from 'node:util'
import { zstdCompress, zstdDecompress } from 'node:zlib'
import type {
  ChangedPages,
  ClosedFile,
  LogPlace,
} from '../../storage/sqlite/write-ahead-log/log-follower.ts'

const compress = promisify(zstdCompress)
const decompress = promisify(zstdDecompress)

/** What a piece of the copy says of itself. */
export type PieceHeader = {
  /** Pieces of a generation are numbered from 1. */
  number: number
  /** The checksum of the piece before; empty for the first. */
  previous: string
  /** The copy holds every commit up to this moment, and none after it; in ms since 1970. */
  at: number
  /** Where the log was read up to. */
  place: LogPlace
  /** The database file, where nobody had it open after this piece. */
  closed?: ClosedFile | undefined
  /** The size of the database, and of each page in bytes. */
  pages: number
  pageBytes: number
}

/** A piece as it is stored, and its checksum. */
export type StoredPiece = { header: PieceHeader; sum: string; bytes: Buffer }

/** Pieces begin with this, the length of the header and that of the content. */
const MAGIC = 'PLUMBPC1'
const LENGTHS_AT = MAGIC.length
const SUM_AT = LENGTHS_AT + 8
const SUM_BYTES = 32
/** Bytes from which the length of a piece is read. */
export const START_BYTES = SUM_AT + SUM_BYTES

/** Far more than a piece holds: a length beyond is damage. */
const MAXIMUM_BYTES = 2 ** 30

export async function formatPiece(
  header: PieceHeader,
  changed: ChangedPages,
): Promise<StoredPiece> {
  const numbers = [...changed.keys()].toSorted((a, b) => a - b)
  const list = Buffer.alloc(4 * (numbers.length + 1))
  list.writeUInt32LE(numbers.length, 0)
  for (const [at, number] of numbers.entries()) list.writeUInt32LE(number, 4 * (at + 1))
  const content = await compress(
    Buffer.concat([list, ...numbers.map((number) => changed.get(number)!)]),
  )
  const text = Buffer.from(JSON.stringify(header))
  const start = Buffer.alloc(START_BYTES)
  start.write(MAGIC)
  start.writeUInt32LE(text.length, LENGTHS_AT)
  start.writeUInt32LE(content.length, LENGTHS_AT + 4)
  const sum = createHash('sha256').update(text).update(content).digest()
  sum.copy(start, SUM_AT)
  return { header, sum: sum.toString('hex'), bytes: Buffer.concat([start, text, content]) }
}

/**
 * The piece that begins a part of a file; undefined where the part is shorter than a piece, because
 * writing it was interrupted. Throws where it is damaged.
 */
export function parsePiece(bytes: Buffer): StoredPiece | undefined {
  if (bytes.length < START_BYTES) return undefined
  const end = lengthOfPiece(bytes)
  if (bytes.length < end) return undefined
  const stored = bytes.toString('hex', SUM_AT, START_BYTES)
  const sum = createHash('sha256').update(bytes.subarray(START_BYTES, end)).digest('hex')
  if (sum !== stored) throw new Error('its checksum does not match its content')
  const [textBytes] = lengthsOf(bytes)
  const header = JSON.parse(bytes.toString('utf8', START_BYTES, START_BYTES + textBytes))
  return { header, sum, bytes: bytes.subarray(0, end) }
}

/** Bytes that a piece takes, by its first bytes. */
export function lengthOfPiece(start: Buffer): number {
  if (start.toString('latin1', 0, MAGIC.length) !== MAGIC)
    throw new Error('it does not begin as a piece does')
  const [textBytes, contentBytes] = lengthsOf(start)
  return START_BYTES + textBytes + contentBytes
}

function lengthsOf(bytes: Buffer): [number, number] {
  const lengths: [number, number] = [
    bytes.readUInt32LE(LENGTHS_AT),
    bytes.readUInt32LE(LENGTHS_AT + 4),
  ]
  if (lengths[0] + lengths[1] > MAXIMUM_BYTES) throw new Error('its length cannot be right')
  return lengths
}

/** The pages of a piece by their number. */
export async function readPages({ header, bytes }: StoredPiece): Promise<ChangedPages> {
  const [textBytes] = lengthsOf(bytes)
  const content = await decompress(bytes.subarray(START_BYTES + textBytes))
  const count = content.readUInt32LE(0)
  const pages: ChangedPages = new Map()
  for (let at = 0; at < count; at++) {
    const start = 4 * (count + 1) + at * header.pageBytes
    pages.set(content.readUInt32LE(4 * (at + 1)), content.subarray(start, start + header.pageBytes))
  }
  return pages
}
