// Each digit can be matched in one way only, so matching takes linear time.
const DECIMAL = /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:e[+-]?\d+)?$/i

/**
 * Parses a text that is a decimal number, such as `5`, `-.5` or `1.5e-3`; undefined for other texts.
 * A number beyond the doubles is infinite.
 */
export function parseDecimalText(text: string): number | undefined {
  return DECIMAL.test(text) ? Number(text) : undefined
}
