import type { SiteFile } from '@plumbline/contract/site'
import type {
  FactorEntry,
  ProjectEntry,
  StructureTypeEntry,
  UserEntry,
} from '../../domain/site/site-entry.ts'

/** What several files may share: users, projects, structure types and factors. */
export type CatalogueEntry = UserEntry | ProjectEntry | StructureTypeEntry | FactorEntry

/** The shared entries of a file, in its order, defaults filled in. */
export function flattenCatalogue(file: SiteFile): CatalogueEntry[] {
  const { users = [], projects = [], structureTypes = [], factors = [] } = file
  return [
    ...users.map(({ id, name, structures }): UserEntry => ({ kind: 'user', id, name, structures })),
    ...projects.map(({ id, name }): ProjectEntry => ({ kind: 'project', id, name })),
    ...structureTypes.map(({ id, name }): StructureTypeEntry => ({
      kind: 'structureType',
      id,
      name,
    })),
    ...factors.map(flattenFactor),
  ]
}

function flattenFactor(factor: NonNullable<SiteFile['factors']>[number]): FactorEntry {
  return {
    kind: 'factor',
    id: factor.id,
    name: factor.name,
    structureTypes: factor.structureTypes ?? null,
    timeDivision: factor.timeDivision ?? false,
    items: factor.items.map(({ id, key, name, unit = '', precision }) => {
      return { id, key, name, unit, precision }
    }),
  }
}
