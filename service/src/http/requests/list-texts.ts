import { RefusedError } from '../../errors/refused-error.ts'

/** Reads `44132, 44133,44132` as two station ids; an empty text as none. */
export function readStationIds(text: string, maximum: number): number[] {
  const parts = splitList(text)
  const ids = [...new Set(parts.map(Number))]
  if (!parts.every((part) => /^\d{1,10}$/.test(part)))
    throw new RefusedError(
      'invalid',
      'the query parameter "stations" must be station ids joined by commas',
    )
  if (ids.length > maximum)
    throw new RefusedError(
      'invalid',
      `the query parameter "stations" names ${ids.length} stations, at most ${maximum} are allowed`,
    )
  return ids
}

/** The non-empty parts of a comma-separated text, trimmed. */
export const splitList = (text: string): string[] =>
  text
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '')
