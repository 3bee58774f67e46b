import { RefusedError } from '../../errors/refused-error.ts'

/**
 * The bytes of `,"time":"YYYY-MM-DD HH:mm:ss"}`, with which every record text ends.
 *
 * Storage turns `{"strain":1.2,"time":"..."}` into `{"values":{"strain":1.2},"time":"..."}` by
 * cutting there; the end is plain ASCII, so bytes and characters are the same count.
 */
export const TIME_SUFFIX_LENGTH = 30

/** An item's key as it stands in a record text: JSON, with its colon, such as `"strain":`. */
export function recordKey(key: string): string {
  return `${JSON.stringify(key)}:`
}

/**
 * The text in which a record is kept and served, `{"strain":1.2,"time":"2026-01-01 00:00:00"}`.
 *
 * `keys` come from `recordKey`, in the order of the factor's items, and `values` stand beside
 * them; an absent one is left out. Numbers are written as `JSON.stringify` writes them. Refuses a
 * value that is not finite, and a record without any value, which could not be cut.
 */
export function recordText(
  keys: readonly string[],
  values: readonly (number | undefined)[],
  localTime: string,
): string {
  let text = '{'
  for (let index = 0; index < keys.length; index++) {
    const value = values[index]
    if (value === undefined) continue
    if (!Number.isFinite(value)) {
      const key = keys[index]!.slice(0, -1)
      throw new RefusedError('invalid', `${key} is ${value}, expected a finite number`)
    }
    text += (text.length === 1 ? '' : ',') + keys[index]! + value
  }
  if (text.length === 1) {
    throw new RefusedError('invalid', 'record has no value, expected at least one')
  }
  return `${text},"time":"${localTime}"}`
}
