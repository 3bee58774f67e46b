import { isUtf8 } from 'node:buffer'

/** Why a file is not read whose name cannot be text. */
export const NAME_IS_NOT_UTF8 = 'its name is not UTF-8, so it cannot be read; rename it'

/** The number of bytes of a UTF-8 character, by its first one. */
function characterBytes(first: number): number {
  if (first < 0x80) return 1
  if (first < 0xe0) return 2
  return first < 0xf0 ? 3 : 4
}

/** The name of a file; each byte of it that is not UTF-8 is written as `\xff`. */
export function shownName(bytes: Buffer): string {
  if (isUtf8(bytes)) return bytes.toString()
  let text = ''
  for (let at = 0; at < bytes.length;) {
    const first = bytes.readUInt8(at)
    const character = bytes.subarray(at, at + characterBytes(first))
    const isText = isUtf8(character)
    text += isText ? character.toString() : `\\x${first.toString(16).padStart(2, '0')}`
    at += isText ? character.length : 1
  }
  return text
}
