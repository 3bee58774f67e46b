import { RefusedError } from '../../errors/refused-error.ts'
import { recordKey } from '../records/record-text.ts'
import type { MemberRewrite } from '../records/rewrite-record.ts'
import { parseMarks } from './qualified-values.ts'

/**
 * Stored marks with other keys, and bad values in other units, for the members that `rewrites` names by
 * their keys, from `recordKey`.
 */
export function rewriteMarks(text: string, rewrites: ReadonlyMap<string, MemberRewrite>): string {
  const marks = Object.entries(parseMarks(text)).map(([key, { value, ...mark }]) => {
    const rewrite = rewrites.get(recordKey(key))
    const number = value === undefined ? {} : { value: convert(value, rewrite) }
    return [rewrite === undefined ? key : keyOf(rewrite), { ...mark, ...number }] as const
  })
  return JSON.stringify(Object.fromEntries(marks))
}

/** The item key of a key as in a record text. */
const keyOf = ({ key }: MemberRewrite): string => String(JSON.parse(key.slice(0, -1)))

function convert(value: number, rewrite: MemberRewrite | undefined): number {
  if (rewrite?.convert === undefined) return value
  const converted = rewrite.convert(value)
  if (Number.isFinite(converted)) return converted
  throw new RefusedError('invalid', `${rewrite.key}${value} has no finite value in the new unit`)
}
