import { closeSync, openSync, readSync } from 'node:fs'
import { endianness } from 'node:os'

/** The counts of frames and transactions in a write-ahead log. */
export type LogScan = {
  /** Those that SQLite applies: up to the last commit before the first invalid frame. */
  frames: number
  transactions: number
  /** Those that were committed after an invalid frame, and are lost. */
  lostFrames: number
  lostTransactions: number
}

const EMPTY: LogScan = { frames: 0, transactions: 0, lostFrames: 0, lostTransactions: 0 }

export const HEADER_BYTES = 32
export const FRAME_HEADER_BYTES = 24
/** The lowest bit says whether checksums are of big-endian words. */
export const MAGIC = 0x377f0682
const READ_BYTES = 1024 * 1024

/** The two words of a checksum, which continues that of the frame before. */
export type Sum = readonly [number, number]

/**
 * Reads a write-ahead log as SQLite does after a crash, and the frames after the place where SQLite
 * stops (https://www.sqlite.org/fileformat2.html#the_write_ahead_log).
 *
 * The checksum of a frame continues that of the frame before. After an invalid frame, a frame is
 * compared with the checksum that is stored in the frame before it.
 */
export function scanLog(file: string, pageBytes: number): LogScan {
  const descriptor = openSync(file, 'r')
  try {
    return scan(descriptor, pageBytes)
  } finally {
    closeSync(descriptor)
  }
}

function scan(descriptor: number, pageBytes: number): LogScan {
  const header = Buffer.alloc(HEADER_BYTES)
  if (readSync(descriptor, header, 0, HEADER_BYTES, 0) < HEADER_BYTES) return EMPTY
  const magic = header.readUInt32BE(0)
  const isHeaderValid =
    (magic === MAGIC || magic === MAGIC + 1) &&
    header.readUInt32BE(8) === pageBytes &&
    isSame(addTo([0, 0], header, 0, 24, magic !== MAGIC), sumAt(header, 24))
  const isBigEndian = isHeaderValid ? magic !== MAGIC : endianness() === 'BE'
  const found = { ...EMPTY }
  let salts = header.subarray(16, 24)
  let isWhole = isHeaderValid
  let expected = sumAt(header, 24)
  let at = 0
  for (const frame of framesOf(descriptor, FRAME_HEADER_BYTES + pageBytes)) {
    // In place of a damaged header, the salts of the first frame are used.
    if (!isHeaderValid && at === 0) salts = Buffer.from(frame.subarray(8, 16))
    at++
    const isOfLog = salts.equals(frame.subarray(8, 16))
    // Frames of an earlier round of the log were copied back already.
    if (!isOfLog && !isWhole) {
      expected = sumAt(frame, 16)
      continue
    }
    const isCommit = frame.readUInt32BE(4) !== 0
    const stored = sumAt(frame, 16)
    if (isWhole || isCommit) {
      const own = addTo(
        addTo(expected, frame, 0, 8, isBigEndian),
        frame,
        FRAME_HEADER_BYTES,
        pageBytes,
        isBigEndian,
      )
      const isValid = isOfLog && isSame(own, stored) && frame.readUInt32BE(0) !== 0
      if (isWhole && !isValid) isWhole = false
      else if (isCommit && isWhole) {
        found.frames = at
        found.transactions++
      } else if (isCommit && isValid) {
        found.lostFrames = at - found.frames
        found.lostTransactions++
      }
    }
    expected = stored
  }
  return found
}

/** Yields each whole frame; its bytes are valid until the next one is yielded. */
export function* framesOf(descriptor: number, frameBytes: number): Generator<Buffer> {
  const buffer = Buffer.alloc(Math.max(1, Math.floor(READ_BYTES / frameBytes)) * frameBytes)
  for (let place = HEADER_BYTES; ; place += buffer.length) {
    let filled = 0
    while (filled < buffer.length) {
      const read = readSync(descriptor, buffer, filled, buffer.length - filled, place + filled)
      if (read === 0) break
      filled += read
    }
    for (let at = 0; at + frameBytes <= filled; at += frameBytes)
      yield buffer.subarray(at, at + frameBytes)
    if (filled < buffer.length) return
  }
}

export const sumAt = (bytes: Buffer, at: number): Sum => [
  bytes.readUInt32BE(at),
  bytes.readUInt32BE(at + 4),
]

export const isSame = (one: Sum, other: Sum): boolean => one[0] === other[0] && one[1] === other[1]

/** Continues a checksum with the words of a part of the log. */
export function addTo(
  [a, b]: Sum,
  bytes: Buffer,
  start: number,
  length: number,
  isBig: boolean,
): Sum {
  const view = new DataView(bytes.buffer, bytes.byteOffset + start, length)
  let first = a | 0
  let second = b | 0
  for (let at = 0; at < length; at += 8) {
    first = (first + view.getInt32(at, !isBig) + second) | 0
    second = (second + view.getInt32(at + 4, !isBig) + first) | 0
  }
  return [first >>> 0, second >>> 0]
}
