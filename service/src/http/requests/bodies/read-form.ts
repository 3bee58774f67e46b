import { RefusedError } from '../../../errors/refused-error.ts'

/** More than any form of the interface has. */
const PAIRS_MAXIMUM = 100

/** Reads a form by its pairs, of which the last of a name counts; blanks around are no part. */
export function readForm(text: string): Record<string, string> {
  const form: Record<string, string> = Object.create(null) as Record<string, string>
  const body = text.trim()
  let pairs = 0
  for (let at = 0; at < body.length;) {
    const end = body.indexOf('&', at)
    const pair = body.slice(at, end < 0 ? undefined : end)
    at = end < 0 ? body.length : end + 1
    if (++pairs > PAIRS_MAXIMUM)
      throw new RefusedError('invalid', `a form holds at most ${PAIRS_MAXIMUM} pairs`)
    if (pair === '') continue
    const equals = pair.indexOf('=')
    const name = decode(equals < 0 ? pair : pair.slice(0, equals))
    form[name.trim()] = equals < 0 ? '' : decode(pair.slice(equals + 1)).trim()
  }
  return form
}

/** As browsers read it: `+` is a blank, and what is no escape is itself. */
const decode = (text: string): string => new URLSearchParams(`x=${text}`).get('x') ?? ''
