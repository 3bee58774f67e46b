// A digit can be matched in one way only, so a text that is none costs no more than its length.
const DECIMAL = /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:e[+-]?\d+)?$/i

/**
 * The decimal number that a whole text spells, such as `5`, `-.5` or `1.5e-3`; undefined when it
 * spells none. One beyond the doubles is infinite.
 */
export function parseDecimalText(text: string): number | undefined {
  return DECIMAL.test(text) ? Number(text) : undefined
}
