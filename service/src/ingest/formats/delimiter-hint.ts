import { shorten } from '../../errors/show.ts'

/** Delimiters of files, with how a mapping names them. */
const CANDIDATES: readonly (readonly [delimiter: string, written: string])[] = [
  [';', "';'"],
  [',', "','"],
  ['\t', '"\\t"'],
  ['|', "'|'"],
]

type Header = { text: string; columns: readonly string[]; delimiter: string }

/**
 * Names the delimiter by which a header has a column that it lacks by that of the mapping; else the
 * columns that were found.
 */
export function delimiterHint(name: string, { text, columns, delimiter }: Header): string {
  const fitting = CANDIDATES.find(
    ([other]) => other !== delimiter && text.split(other).some((part) => unquoted(part) === name),
  )
  if (fitting !== undefined)
    return `; with another delimiter it has this column: expected "delimiter: ${fitting[1]}" in the mapping`
  return columns.length === 0 ? '' : `; it has ${shorten(columns.join(', '), 200)}`
}

const unquoted = (part: string): string =>
  part
    .trim()
    .replace(/^"(.*)"$/, '$1')
    .trim()
