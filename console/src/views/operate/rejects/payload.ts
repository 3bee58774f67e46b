const SHOWN_BYTES = 64_000
const ROW = 16

export type Payload = { text: string; isBinary: boolean; bytes: number; isShortened: boolean }

/** What was received, as a person reads it: text where it is UTF-8, otherwise hexadecimal digits. */
export function readPayload(base64: string): Payload {
  const bytes = Uint8Array.from(atob(base64), (one) => one.charCodeAt(0))
  const shown = bytes.subarray(0, SHOWN_BYTES)
  const text = textOf(shown, shown.length < bytes.length)
  return {
    text: text ?? hexadecimal(shown),
    isBinary: text === undefined,
    bytes: bytes.length,
    isShortened: shown.length < bytes.length,
  }
}

/** The number of bytes of a Base64 text. */
export const sizeOf = (base64: string): number =>
  (base64.length / 4) * 3 - (base64.endsWith('==') ? 2 : base64.endsWith('=') ? 1 : 0)

/** A text as the service takes it: its UTF-8 bytes in Base64. */
export const toBase64 = (text: string): string =>
  btoa(Array.from(new TextEncoder().encode(text), (one) => String.fromCharCode(one)).join(''))

function textOf(bytes: Uint8Array, isCut: boolean): string | undefined {
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes, { stream: isCut })
    // oxlint-disable-next-line no-control-regex -- these are what tells binary data from text
    return /[\x00-\x08\x0e-\x1f]/.test(text) ? undefined : text
  } catch {
    return undefined
  }
}

function hexadecimal(bytes: Uint8Array): string {
  const lines: string[] = []
  for (let at = 0; at < bytes.length; at += ROW) {
    const row = [...bytes.subarray(at, at + ROW)]
    const digits = row.map((byte) => byte.toString(16).padStart(2, '0')).join(' ')
    lines.push(`${at.toString(16).padStart(6, '0')}  ${digits}`)
  }
  return lines.join('\n')
}
