import { RefusedError } from '../../errors/refused-error.ts'

/**
 * The length of `,"time":"YYYY-MM-DD HH:mm:ss"}`, the end of every record text.
 *
 * Storage inserts a brace there to make `{"values":{"strain":1.2},"time":"..."}`. The end is ASCII,
 * so it has as many bytes as characters.
 */
export const TIME_SUFFIX_LENGTH = 30

/** Returns an item's key as in a record text: JSON with a colon, such as `"strain":`. */
export function recordKey(key: string): string {
  return `${JSON.stringify(key)}:`
}

/**
 * Returns a record as it is stored and served: `{"strain":1.2,"time":"2026-01-01 00:00:00"}`.
 *
 * `keys` are from `recordKey`, in the order of the factor's items, `values` in the same order. A
 * missing value is left out. Numbers are formatted as by `JSON.stringify`. Refuses a value that is not
 * finite, and a record without values.
 */
export function recordText(
  keys: readonly string[],
  values: readonly (number | undefined)[],
  localTime: string,
): string {
  let text = '{'
  for (let index = 0; index < keys.length; index++) {
    const key = keys[index]
    const value = values[index]
    if (key === undefined || value === undefined) continue
    if (!Number.isFinite(value)) {
      throw new RefusedError('invalid', `${key.slice(0, -1)} is ${value}, expected a finite number`)
    }
    text += (text.length === 1 ? '' : ',') + key + value
  }
  if (text.length === 1) {
    throw new RefusedError('invalid', 'record has no value, expected at least one')
  }
  return `${text},"time":"${localTime}"}`
}
