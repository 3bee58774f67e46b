import { RefusedError } from '../../../errors/refused-error.ts'

/** More than any form of the interface has. */
const PAIRS_MAXIMUM = 100

/** Parses a form; the last value of a name counts, and names and values are trimmed. */
export function readForm(text: string): Record<string, string> {
  const form: Record<string, string> = Object.create(null)
  const body = text.trim()
  let pairs = 0
  for (let at = 0; at < body.length;) {
    const end = body.indexOf('&', at)
    const pair = body.slice(at, end < 0 ? undefined : end)
    at = end < 0 ? body.length : end + 1
    if (++pairs > PAIRS_MAXIMUM)
      throw new RefusedError('invalid', `a form has at most ${PAIRS_MAXIMUM} pairs`)
    if (pair === '') continue
    const equals = pair.indexOf('=')
    const name = decode(equals < 0 ? pair : pair.slice(0, equals))
    form[name.trim()] = equals < 0 ? '' : decode(pair.slice(equals + 1)).trim()
  }
  return form
}

/** Decodes as browsers do: `+` is a space, and an invalid escape stays as it is. */
const decode = (text: string): string => new URLSearchParams(`x=${text}`).get('x') ?? ''
