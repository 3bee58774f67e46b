import { setImmediate } from 'node:timers/promises'

/** Most of what is no UTF-8 takes 6 ms to decode. */
const BYTES_AT_ONCE = 1024 * 1024

export const toText = (bytes: Uint8Array<ArrayBuffer>): string =>
  Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString()

/** The text of a body of any length; others have their turn while it is decoded. */
export async function toTextInSlices(bytes: Uint8Array<ArrayBuffer>): Promise<string> {
  if (bytes.length <= BYTES_AT_ONCE) return toText(bytes)
  const parts: string[] = []
  for (let at = 0; at < bytes.length;) {
    const end = endOfCharacter(bytes, at + BYTES_AT_ONCE)
    parts.push(toText(bytes.subarray(at, end)))
    at = end
    await setImmediate()
  }
  const text = parts.join('')
  // To join 32 MB takes long enough.
  await setImmediate()
  return text
}

const LONGEST_CHARACTER = 4

/** The first place from `at` on that is not within a character. */
function endOfCharacter(bytes: Uint8Array, at: number): number {
  for (let end = at; end < at + LONGEST_CHARACTER; end++)
    if (end >= bytes.length || (bytes[end]! & 0xc0) !== 0x80) return Math.min(end, bytes.length)
  return at
}
