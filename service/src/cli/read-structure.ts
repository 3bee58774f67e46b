import type { Catalogue, CatalogueStructure } from '../domain/site/catalogue.ts'
import { RefusedError } from '../errors/refused-error.ts'
import { UsageError } from './command.ts'

/** The structure that a flag names; undefined without the flag. */
export function readStructure(
  flag: string | boolean | undefined,
  catalogue: Catalogue,
): CatalogueStructure | undefined {
  if (flag === undefined) return undefined
  if (typeof flag !== 'string' || !/^\d{1,10}$/.test(flag))
    throw new UsageError('--structure must be a structure id')
  return getStructure(catalogue, Number(flag))
}

/** The structure with an id; throws without one. */
export function getStructure({ structures }: Catalogue, id: number): CatalogueStructure {
  const structure = structures.get(id)
  if (structure === undefined) throw new RefusedError('absent', `There is no structure ${id}.`)
  return structure
}
