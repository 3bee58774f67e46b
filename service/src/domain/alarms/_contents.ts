import fc from 'fast-check'

const LEADS = ['a: ', ': ', 'rate ', 'at ', 'for ']
const NUMBERS = ['-', '.', '.5', '-1', 'e', 'e-', '1', '12', '5', '12345678901234567890123']
const WORDS = [', level 2 (', 'm', '; ', ' ', 'x', '\u0001']
const piece = fc.constantFrom(...LEADS, ...NUMBERS, ...WORDS)
/** Contents and parts of them, with numbers in all kinds of places. */
export const contents = fc.array(piece, { maxLength: 12 }).map((pieces) => pieces.join(''))
