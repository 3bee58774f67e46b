import type { Catalogue } from '../domain/site/catalogue.ts'
import { RefusedError } from '../errors/refused-error.ts'
import { UsageError } from './command.ts'

/** The structure that a flag names; undefined without the flag. */
export function readStructure(
  flag: string | boolean | undefined,
  { structures }: Catalogue,
): number | undefined {
  if (flag === undefined) return undefined
  if (typeof flag !== 'string' || !/^\d{1,10}$/.test(flag))
    throw new UsageError('--structure must be a structure id')
  const id = Number(flag)
  if (!structures.has(id)) throw new RefusedError('absent', `There is no structure ${id}.`)
  return id
}
