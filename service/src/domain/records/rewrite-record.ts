import { RefusedError } from '../../errors/refused-error.ts'

/** How a member of a record is stored from now on. */
export type MemberRewrite = {
  /** The key as in a record text, from `recordKey`. */
  key: string
  /** Left out: the value stays as it is. */
  convert?: (value: number) => number
}

const KEY = /"(?:[^"\\]|\\.)*":/y
const TOKEN = /"(?:[^"\\]|\\.)*"|[{}[\],]/g

/**
 * A record text with other keys and values for the members that `rewrites` names by their keys, from
 * `recordKey`. Every other character stays as it is.
 */
export function rewriteRecord(text: string, rewrites: ReadonlyMap<string, MemberRewrite>): string {
  let written = '{'
  for (let at = 1; at < text.length;) {
    KEY.lastIndex = at
    const [key = ''] = KEY.exec(text) ?? []
    if (key === '') throw new RangeError(`the record has no member at ${at}`)
    const end = endOfValue(text, at + key.length)
    const value = text.slice(at + key.length, end)
    const rewrite = rewrites.get(key)
    written += rewrite === undefined ? key + value : rewrite.key + rewriteValue(value, rewrite)
    written += text[end]
    at = end + 1
  }
  return written
}

/** The offset of the comma or brace behind a value. */
function endOfValue(text: string, start: number): number {
  TOKEN.lastIndex = start
  let depth = 0
  for (let token = TOKEN.exec(text); token !== null; token = TOKEN.exec(text)) {
    const [sign] = token
    if (depth === 0 && (sign === ',' || sign === '}')) return token.index
    if (sign === '{' || sign === '[') depth++
    if (sign === '}' || sign === ']') depth--
  }
  throw new RangeError(`the record has no end behind ${start}`)
}

function rewriteValue(value: string, { key, convert }: MemberRewrite): string {
  if (convert === undefined) return value
  const converted = convert(JSON.parse(value))
  if (Number.isFinite(converted)) return `${converted}`
  throw new RefusedError('invalid', `${key}${value} has no finite value in the new unit`)
}
