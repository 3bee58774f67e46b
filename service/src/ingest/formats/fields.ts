/** What stands between the fields of a line: a character, or any number of blanks and tabs. */
export type Delimiter = string

export const BLANKS: Delimiter = 'blanks'

/** Whether a mapping may name this: `tab`, `blanks`, or one character that is no quote. */
export const isDelimiter = (text: string): boolean =>
  text === 'tab' || text === BLANKS || (text.length === 1 && !'"\r\n'.includes(text))

/** A line that cannot be taken: a sentence that says why. */
export type Problem = { reason: string }

/**
 * The fields of a line; those in double quotes may hold the delimiter, and a doubled quote.
 *
 * A quote that is not closed in its line is a problem: a measurement has no line breaks, and a
 * line cut short must not swallow the ones after it.
 */
export function splitFields(text: string, delimiter: Delimiter): string[] | Problem {
  if (delimiter === BLANKS) {
    const trimmed = text.trim()
    return trimmed === '' ? [''] : trimmed.split(/[ \t]+/)
  }
  if (!text.includes('"')) return text.split(delimiter)

  const fields: string[] = []
  let at = 0
  for (;;) {
    let end: number
    if (text.charCodeAt(at) === QUOTE) {
      const closing = findClosing(text, at + 1)
      if (closing === -1)
        return { reason: `column ${fields.length + 1} has a quote without an end` }
      end = closing + 1
      if (end < text.length && !text.startsWith(delimiter, end))
        return { reason: `column ${fields.length + 1} goes on after its closing quote` }
      const inner = text.slice(at + 1, closing)
      fields.push(inner.includes('""') ? inner.replaceAll('""', '"') : inner)
    } else {
      const next = text.indexOf(delimiter, at)
      end = next === -1 ? text.length : next
      fields.push(text.slice(at, end))
    }
    if (end >= text.length) return fields
    at = end + delimiter.length
  }
}

const QUOTE = 34

function findClosing(text: string, from: number): number {
  let at = text.indexOf('"', from)
  while (at !== -1 && text.charCodeAt(at + 1) === QUOTE) at = text.indexOf('"', at + 2)
  return at
}
