import type { SiteFile } from '@plumbline/contract/site'
import type { ValuePath } from '../../schemas/value-path.ts'

/** Types of the parts of a site file. */
export type StructurePart = NonNullable<SiteFile['structures']>[number]
export type FactorPart = NonNullable<StructurePart['factors']>[number]
export type GroupPart = NonNullable<FactorPart['groups']>[number]
export type GroupConversionPart = NonNullable<GroupPart['conversion']>
export type StationPart = NonNullable<FactorPart['stations']>[number]
export type BatchPart = NonNullable<FactorPart['thresholds']>[number]
export type ItemPart = BatchPart['items'][number]
export type DevicePart = NonNullable<StructurePart['devices']>[number]
export type CameraPart = NonNullable<StructurePart['cameras']>[number]
export type SourcePart = NonNullable<StationPart['from']>
export type ConversionPart = Exclude<NonNullable<SourcePart['conversion']>, unknown[]>

/** The elements of a list, each with its path. */
export function* each<T>(
  list: readonly T[] | undefined,
  ...path: ValuePath
): Generator<[element: T, path: ValuePath]> {
  for (const [index, element] of (list ?? []).entries()) yield [element, [...path, index]]
}

/** The stations of a configured factor with their groups, those without a group last. */
export function* eachStation(
  factor: FactorPart,
  path: ValuePath,
): Generator<[station: StationPart, path: ValuePath, group: GroupPart | null]> {
  for (const [group, groupPath] of each(factor.groups, ...path, 'groups')) {
    for (const [station, place] of each(group.stations, ...groupPath, 'stations')) {
      yield [station, place, group]
    }
  }
  for (const [station, place] of each(factor.stations, ...path, 'stations')) {
    yield [station, place, null]
  }
}

/** A uuid in lower case, in which uuids are compared and stored. */
export function canonicalUuid(uuid: string): string {
  return uuid.toLowerCase()
}
