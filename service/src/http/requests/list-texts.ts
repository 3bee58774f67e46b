import { RefusedError } from '../../errors/refused-error.ts'

/** `44132, 44133,44132` names two stations; an empty text names none. */
export function readStationIds(text: string, most: number): number[] {
  const parts = splitList(text)
  const ids = [...new Set(parts.map(Number))]
  if (!parts.every((part) => /^\d{1,10}$/.test(part)))
    throw new RefusedError(
      'invalid',
      'the query parameter "stations" must be station ids joined by commas',
    )
  if (ids.length > most)
    throw new RefusedError(
      'invalid',
      `the query parameter "stations" names ${ids.length} stations, at most ${most} are allowed`,
    )
  return ids
}

/** The parts of a text joined by commas, with neither blanks around them nor empty ones. */
export const splitList = (text: string): string[] =>
  text
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '')
