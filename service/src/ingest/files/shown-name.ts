import { isUtf8 } from 'node:buffer'

/** What is said of a file that cannot be opened by its name as text. */
export const NAME_IS_NOT_UTF8 = 'its name is not UTF-8, so it cannot be read; rename it'

/** How many bytes a character of UTF-8 has that begins with this one. */
function lengthBy(first: number): number {
  if (first < 0x80) return 1
  if (first < 0xe0) return 2
  return first < 0xf0 ? 3 : 4
}

/** The name of a file; each byte of it that is not UTF-8 is written as `\xff`. */
export function shownName(bytes: Buffer): string {
  if (isUtf8(bytes)) return bytes.toString()
  let text = ''
  for (let at = 0; at < bytes.length;) {
    const first = bytes[at]!
    const character = bytes.subarray(at, at + lengthBy(first))
    const isText = isUtf8(character)
    text += isText ? character.toString() : `\\x${first.toString(16).padStart(2, '0')}`
    at += isText ? character.length : 1
  }
  return text
}
