import { isUtf8 } from 'node:buffer'
import { YamlFileError } from './yaml-file-error.ts'

const LINE_END = 0x0a

/**
 * Returns the text of a file that a person wrote; refuses bytes that are not UTF-8, with their line.
 */
export function textOfBytes(bytes: Buffer, fileName: string): string {
  const is16 = isUtf16(bytes)
  if (!is16 && isUtf8(bytes)) return bytes.toString()
  const line = is16 ? 1 : firstForeignLine(bytes)
  const found = is16 ? 'the file is UTF-16' : 'this line is not UTF-8; it may be GBK'
  const message = `${found}, expected UTF-8: save the file as UTF-8`
  throw new YamlFileError(fileName, [{ path: '', line, message }])
}

/** By its byte order mark, or since its characters have NUL bytes, which no text in UTF-8 has. */
const isUtf16 = (bytes: Buffer): boolean =>
  (bytes[0] === 0xff && bytes[1] === 0xfe) ||
  (bytes[0] === 0xfe && bytes[1] === 0xff) ||
  bytes.subarray(0, 1024).includes(0)

function firstForeignLine(bytes: Buffer): number {
  let line = 1
  for (let at = 0; ; line++) {
    const end = bytes.indexOf(LINE_END, at)
    if (end < 0 || !isUtf8(bytes.subarray(at, end))) return line
    at = end + 1
  }
}
