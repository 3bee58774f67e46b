import { setImmediate } from 'node:timers/promises'

/** Bytes that are decoded at once; one megabyte that is not UTF-8 takes 6 ms. */
const SLICE_BYTES = 1024 * 1024

export const toText = (bytes: Uint8Array<ArrayBuffer>): string =>
  Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString()

/** Decodes a body of any length; other requests are processed meanwhile. */
export async function toTextInSlices(bytes: Uint8Array<ArrayBuffer>): Promise<string> {
  if (bytes.length <= SLICE_BYTES) return toText(bytes)
  const parts: string[] = []
  for (let at = 0; at < bytes.length;) {
    const end = endOfCharacter(bytes, at + SLICE_BYTES)
    parts.push(toText(bytes.subarray(at, end)))
    at = end
    await setImmediate()
  }
  const text = parts.join('')
  // Joining 32 MB takes as long as a slice.
  await setImmediate()
  return text
}

const LONGEST_CHARACTER = 4

/** The first index from `at` on at which a character begins. */
function endOfCharacter(bytes: Uint8Array, at: number): number {
  const next = bytes.subarray(at, at + LONGEST_CHARACTER)
  const length = next.findIndex((byte) => (byte & 0xc0) !== 0x80)
  if (length >= 0) return at + length
  return next.length < LONGEST_CHARACTER ? bytes.length : at
}
