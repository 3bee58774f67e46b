import { hash } from 'node:crypto'

/** The most characters of a key. */
const LONGEST = 500
const SHOWN = 250

/**
 * A text as the key of a row, whose bytes PostgreSQL limits to 2,704: of a long one both ends and the hash
 * of the whole. Different texts have different keys.
 */
export const boundedText = (text: string): string =>
  text.length <= LONGEST
    ? text
    : `${text.slice(0, SHOWN)}…${hash('sha256', text, 'base64url')}…${text.slice(-SHOWN)}`
