import type { SiteFile } from '@plumbline/contract/site'
import type {
  FactorEntry,
  ProjectEntry,
  StructureTypeEntry,
  UserEntry,
} from '../../domain/site/site-entry.ts'

/** An entry that several site files may share. */
type SharedEntry = UserEntry | ProjectEntry | StructureTypeEntry | FactorEntry

/** The users, projects, structure types and factors of a file in its order, with defaults. */
export function flattenCatalogue(file: SiteFile): SharedEntry[] {
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
