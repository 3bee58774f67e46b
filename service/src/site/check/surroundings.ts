import type { SiteFile } from '@plumbline/contract/site'
import type { FactorEntry, SiteEntry, StructureEntry } from '../../domain/site/site-entry.ts'
import { flattenCatalogue } from '../file/flatten-catalogue.ts'

/** What a site file may refer to besides its own structures' parts. */
export type Surroundings = {
  projects: ReadonlySet<number>
  structureTypes: ReadonlyMap<number, string>
  structures: ReadonlySet<number>
  /** The catalogue as it will be: an entry of the file takes the place of a stored one. */
  factors: ReadonlyMap<number, FactorEntry>
  /** The stored entries that the file leaves alone: other files' structures and their parts. */
  elsewhere: readonly SiteEntry[]
}

export function surroundingsOf(file: SiteFile, stored: readonly SiteEntry[]): Surroundings {
  const named = new Set((file.structures ?? []).map(({ id }) => id))
  const structures = new Set(named)
  const projects = new Set<number>()
  const structureTypes = new Map<number, string>()
  const factors = new Map<number, FactorEntry>()
  for (const entry of [...stored, ...flattenCatalogue(file)]) {
    if (entry.kind === 'project') projects.add(entry.id)
    if (entry.kind === 'structureType') structureTypes.set(entry.id, entry.name)
    if (entry.kind === 'factor') factors.set(entry.id, entry)
    if (entry.kind === 'structure') structures.add(entry.id)
  }
  const elsewhere = stored.filter((entry) => {
    const structure = structureOf(entry)
    return structure !== null && !named.has(structure)
  })
  return { projects, structureTypes, structures, factors, elsewhere }
}

/** The structure an entry belongs to, a structure to itself; null for what files share. */
export function structureOf(entry: SiteEntry): number | null {
  if (entry.kind === 'structure') return entry.id
  return 'structure' in entry ? entry.structure : null
}

export function allowsType(factor: FactorEntry, { type }: Pick<StructureEntry, 'type'>): boolean {
  return factor.structureTypes === null || factor.structureTypes.includes(type)
}
