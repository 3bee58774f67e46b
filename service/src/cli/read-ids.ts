import { RefusedError } from '../errors/refused-error.ts'
import { UsageError, type Arguments } from './command.ts'

type Flag = Arguments['flags'][string]

/** The ids that a flag joins by commas, each once; empty without the flag, refused where unknown. */
export function readIds(name: string, flag: Flag, known: ReadonlyMap<number, unknown>): number[] {
  const ids = splitIds(name, flag)
  if (!ids.every((id) => /^[1-9]\d{0,9}$/.test(id)))
    throw new UsageError(`--${name} must be ids joined by commas`)
  requireKnown(name, ids, (id) => known.has(Number(id)))
  return [...new Set(ids.map(Number))]
}

/** The same for ids that are texts, in lower case. */
export function readTextIds(
  name: string,
  flag: Flag,
  known: ReadonlyMap<string, unknown>,
): string[] {
  const ids = splitIds(name, flag).map((id) => id.toLowerCase())
  requireKnown(name, ids, (id) => known.has(id))
  return [...new Set(ids)]
}

function splitIds(name: string, flag: Flag): string[] {
  if (flag === undefined) return []
  const ids = String(flag)
    .split(',')
    .map((part) => part.trim())
  if (ids.includes('')) throw new UsageError(`--${name} must be ids joined by commas`)
  return ids
}

function requireKnown(name: string, ids: readonly string[], isKnown: (id: string) => boolean) {
  const unknown = ids.find((id) => !isKnown(id))
  if (unknown !== undefined)
    throw new RefusedError('absent', `There is no ${name.slice(0, -1)} ${unknown}.`)
}
