import type { SiteFile } from '@plumbline/contract/site'
import type {
  CameraEntry,
  FactorEntry,
  SiteEntry,
  StructureEntry,
} from '../../domain/site/site-entry.ts'
import { flattenCatalogue } from '../file/flatten-catalogue.ts'

/** What entries of a site file may refer to: the stored site with the entries of the file. */
export type SiteContext = {
  projects: ReadonlySet<number>
  structureTypes: ReadonlyMap<number, string>
  structures: ReadonlySet<number>
  /** Stored factors; those of the file replace stored ones. */
  factors: ReadonlyMap<number, FactorEntry>
  /** The stored cameras. */
  cameras: ReadonlyMap<number, CameraEntry>
  /** Stored structures of other files and their parts, which the file does not change. */
  unchanged: readonly SiteEntry[]
}

/** The context of a site file over the stored entries. */
export function siteContext(file: SiteFile, stored: readonly SiteEntry[]): SiteContext {
  const declared = new Set((file.structures ?? []).map(({ id }) => id))
  const structures = new Set(declared)
  const projects = new Set<number>()
  const structureTypes = new Map<number, string>()
  const factors = new Map<number, FactorEntry>()
  const cameras = new Map<number, CameraEntry>()
  for (const entry of [...stored, ...flattenCatalogue(file)]) {
    if (entry.kind === 'project') projects.add(entry.id)
    if (entry.kind === 'structureType') structureTypes.set(entry.id, entry.name)
    if (entry.kind === 'factor') factors.set(entry.id, entry)
    if (entry.kind === 'structure') structures.add(entry.id)
    if (entry.kind === 'camera') cameras.set(entry.id, entry)
  }
  const unchanged = stored.filter((entry) => {
    const structure = structureOf(entry)
    return structure !== null && !declared.has(structure)
  })
  return { projects, structureTypes, structures, factors, cameras, unchanged }
}

/** The structure of an entry, or null for users, projects, structure types and factors. */
export function structureOf(entry: SiteEntry): number | null {
  if (entry.kind === 'structure') return entry.id
  return 'structure' in entry ? entry.structure : null
}

/** Whether structures of a type may have a factor. */
export function allowsType(factor: FactorEntry, { type }: Pick<StructureEntry, 'type'>): boolean {
  return factor.structureTypes === null || factor.structureTypes.includes(type)
}
