import type { Quality, QualityClass } from './quality.ts'
import { readStatusCode } from './status-codes.ts'

/** What `parseQuality` reads, for sentences. */
export const EXPECTED_QUALITY =
  'expected good, uncertain or bad, also with a reason (bad: cable cut), or a status code of OPC UA'

/** The most characters of a reason. */
const MOST_REASON = 100

/** A longer text is no quality: the sentence of a status and its code. */
const MOST_TEXT = 1000

/**
 * Reads how a sender or a file names a quality; undefined for what is none.
 *
 * A text is a class (`Bad`), a class with a reason (`bad: cable cut`), the name of an OPC UA status
 * code (`BadSensorFailure`) or its number, decimal, hexadecimal, or in parentheses after a sentence.
 */
export function parseQuality(given: string | number): Quality | undefined {
  if (typeof given === 'number') return readStatusCode(given)
  if (given.length > MOST_TEXT) return undefined
  const text = given.trim()
  return readClass(text) ?? readName(text) ?? readCode(text)
}

/** Writes a quality as `parseQuality` reads it. */
export const showQuality = ({ quality, reason }: Quality): string =>
  reason === '' ? quality : `${quality}: ${reason}`

const CLASSES: ReadonlyMap<string, QualityClass> = new Map([
  ['good', 'good'],
  ['uncertain', 'uncertain'],
  ['bad', 'bad'],
])

function readClass(text: string): Quality | undefined {
  const colon = text.indexOf(':')
  const name = colon === -1 ? text : text.slice(0, colon).trimEnd()
  const quality = CLASSES.get(name.toLowerCase())
  const reason = colon === -1 ? '' : text.slice(colon + 1).trim()
  return quality === undefined || !isReason(reason) ? undefined : { quality, reason }
}

const isReason = (text: string): boolean =>
  text.length <= MOST_REASON && !/[\p{Cc}\p{Bidi_Control}]/u.test(text) && text.isWellFormed()

/** `BadSensorFailure` and, as some programs write it, `StatusBadSensorFailure`. */
function readName(text: string): Quality | undefined {
  const [, name = '', status = ''] = /^(?:Status)?(Good|Uncertain|Bad)([A-Z]\w*)?$/.exec(text) ?? []
  const quality = CLASSES.get(name.toLowerCase())
  const reason = `${status.charAt(0).toLowerCase()}${status.slice(1)}`
  return quality === undefined || !isReason(reason) ? undefined : { quality, reason }
}

/** `0x808C0000`, `2156658688`, and `The operation succeeded. StatusGood (0x0)` of Telegraf. */
function readCode(text: string): Quality | undefined {
  const [, inParentheses] = /\((0x[\da-f]{1,8})\)$/i.exec(text) ?? []
  const code = inParentheses ?? text
  return /^(?:0x[\da-f]{1,8}|\d{1,10})$/i.test(code) ? readStatusCode(Number(code)) : undefined
}
