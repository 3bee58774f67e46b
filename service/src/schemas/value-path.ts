import { shorten, show } from '../errors/show.ts'

/** The path of a value in another one, from its root: `['structures', 0, 'name']`. */
export type ValuePath = readonly (string | number)[]

/** A key of an item has up to 64 characters. */
const STEP_MAXIMUM = 64

/** Formats a path: `structures[0].name`. */
export function formatPath(path: ValuePath): string {
  let text = ''
  for (const step of path) {
    if (typeof step === 'number') text += `[${step}]`
    else if (!/^[\p{L}_$][\p{L}\p{N}_$]*$/u.test(step)) text += `[${show(step)}]`
    else text += text === '' ? shorten(step, STEP_MAXIMUM) : `.${shorten(step, STEP_MAXIMUM)}`
  }
  return text
}
