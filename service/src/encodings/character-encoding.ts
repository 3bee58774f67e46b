/** The encoding of a file; `auto` is UTF-8 if the bytes are valid UTF-8, else Windows-1252. */
export type Encoding =
  'utf-8' | 'latin1' | 'windows-1252' | 'gbk' | 'gb18030' | 'utf-16le' | 'utf-16be' | 'auto'

const FATAL_UTF8 = new TextDecoder('utf-8', { fatal: true })
const WINDOWS_1252 = new TextDecoder('windows-1252')
/** It decodes GBK too, of which it is a superset (WHATWG Encoding Standard, section 10.1). */
const GB18030 = new TextDecoder('gb18030')

/** Decodes bytes; bytes that are invalid in the encoding become U+FFFD. */
export function decode(bytes: Buffer, encoding: Encoding): string {
  switch (encoding) {
    case 'utf-8':
      return bytes.toString('utf8')
    case 'latin1':
      return bytes.toString('latin1')
    case 'windows-1252':
      return decodeWindows1252(bytes)
    case 'gbk':
    case 'gb18030':
      return GB18030.decode(bytes)
    case 'utf-16le':
      return bytes.toString('utf16le')
    case 'utf-16be':
      return Buffer.from(bytes.subarray(0, bytes.length & ~1))
        .swap16()
        .toString('utf16le')
    case 'auto':
      return decodeText(bytes)
  }
}

/** Encodes one character; undefined if the encoding does not have it. */
export function encodeCharacter(character: string, encoding: Encoding): Buffer | undefined {
  if (encoding !== 'latin1' && encoding !== 'windows-1252') return Buffer.from(character)
  for (let byte = 0; byte < 256; byte++) {
    const bytes = Buffer.of(byte)
    if (decode(bytes, encoding) === character) return bytes
  }
  return undefined
}

/** Decodes bytes as UTF-8 if they are valid UTF-8, else as Windows-1252. */
export function decodeText(bytes: Uint8Array): string {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const text = buffer.toString('utf8')
  if (!text.includes('\u{fffd}')) return text.startsWith('\u{feff}') ? text.slice(1) : text
  try {
    return FATAL_UTF8.decode(bytes)
  } catch {
    return decodeWindows1252(buffer)
  }
}

/** Windows-1252 differs from Latin-1 in 27 characters, which a line of numbers does not have. */
function decodeWindows1252(bytes: Buffer): string {
  const text = bytes.toString('latin1')
  return /[\u0080-\u009f]/.test(text) ? WINDOWS_1252.decode(bytes) : text
}
