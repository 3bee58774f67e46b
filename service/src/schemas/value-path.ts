import { shorten, show } from '../errors/show.ts'

/** Where a value stands in another, from its top: `['structures', 0, 'name']`. */
export type ValuePath = readonly (string | number)[]

/** A key of an item has up to 64 characters. */
const LONGEST_STEP = 64

/** `structures[0].name` */
export function formatPath(path: ValuePath): string {
  let text = ''
  for (const step of path) {
    if (typeof step === 'number') text += `[${step}]`
    else if (!/^[\p{L}_$][\p{L}\p{N}_$]*$/u.test(step)) text += `[${show(step)}]`
    else text += text === '' ? shorten(step, LONGEST_STEP) : `.${shorten(step, LONGEST_STEP)}`
  }
  return text
}
