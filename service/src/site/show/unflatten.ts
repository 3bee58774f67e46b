import type { SiteFile } from '@plumbline/contract/site'
import type {
  CameraEntry,
  DeviceEntry,
  FactorEntry,
  SiteEntry,
  SiteEntryKind,
  StructureEntry,
} from '../../domain/site/site-entry.ts'
import type { CameraPart, DevicePart, StructurePart } from '../file/file-parts.ts'
import { structureOf } from '../check/site-context.ts'
import { unflattenFactorPart } from './unflatten-factor.ts'

/** The site file that flattens to these entries, in their order; defaults are left out. */
export function unflatten(entries: readonly SiteEntry[]): SiteFile {
  const structures = ofKind(entries, 'structure')
  const timeZone = mostFrequent(structures.map((structure) => structure.timeZone))
  const parts = Map.groupBy(entries, structureOf)
  return {
    ...(timeZone === undefined ? {} : { timeZone }),
    users: ofKind(entries, 'user').map(({ kind: _kind, ...user }) => user),
    projects: ofKind(entries, 'project').map(({ kind: _kind, ...project }) => project),
    structureTypes: ofKind(entries, 'structureType').map(({ kind: _kind, ...type }) => type),
    factors: ofKind(entries, 'factor').map(unflattenFactor),
    structures: structures.map((structure) =>
      unflattenStructure(structure, parts.get(structure.id) ?? [], timeZone),
    ),
  }
}

/** The entries of a kind in their order. */
export function ofKind<Kind extends SiteEntryKind>(entries: readonly SiteEntry[], kind: Kind) {
  return entries.filter((entry): entry is Extract<SiteEntry, { kind: Kind }> => entry.kind === kind)
}

function mostFrequent(names: readonly string[]): string | undefined {
  const counts = Array.from(
    Map.groupBy(names, (name) => name),
    ([name, { length }]) => ({
      name,
      length,
    }),
  )
  return counts.toSorted((one, other) => other.length - one.length)[0]?.name
}

type FactorDeclaration = NonNullable<SiteFile['factors']>[number]

function unflattenFactor(factor: FactorEntry): FactorDeclaration {
  const { id, name, structureTypes, timeDivision, items } = factor
  return {
    id,
    name,
    ...(structureTypes === null ? {} : { structureTypes }),
    ...(timeDivision ? { timeDivision } : {}),
    items: items.map(({ id, key, name, unit, precision }) => {
      return { id, key, name, ...(unit === '' ? {} : { unit }), precision }
    }),
  }
}

function unflattenStructure(
  structure: StructureEntry,
  parts: readonly SiteEntry[],
  commonZone: string | undefined,
): StructurePart {
  const { id, name, type, latitude, longitude, portrait, timeZone, projects } = structure
  const { factors, traffic, retention, alarms } = structure
  const [devices, cameras] = [ofKind(parts, 'device'), ofKind(parts, 'camera')]
  return {
    id,
    name,
    type,
    latitude,
    longitude,
    ...(portrait === '' ? {} : { portrait }),
    ...(timeZone === commonZone ? {} : { timeZone }),
    ...(projects.length === 0 ? {} : { projects }),
    ...(alarms === undefined ? {} : { alarms }),
    ...(retention === undefined ? {} : { retention }),
    ...(factors.length === 0
      ? {}
      : { factors: factors.map((factor) => unflattenFactorPart(factor, parts)) }),
    ...(devices.length === 0 ? {} : { devices: devices.map(unflattenDevice) }),
    ...(traffic === null ? {} : { traffic: unflattenTraffic(traffic) }),
    ...(cameras.length === 0 ? {} : { cameras: cameras.map(unflattenCamera) }),
  }
}

function unflattenTraffic({
  names,
  ...units
}: NonNullable<StructureEntry['traffic']>): NonNullable<StructurePart['traffic']> {
  return Object.keys(names).length === 0 ? units : { ...units, names }
}

function unflattenDevice(device: DeviceEntry): DevicePart {
  const { id, name, deviceKind, parent, intervalSeconds, items } = device
  return {
    id,
    name,
    kind: deviceKind,
    ...(parent === null ? {} : { parent }),
    ...(intervalSeconds === null ? {} : { intervalSeconds }),
    ...(items.length === 0
      ? {}
      : {
          items: items.map(({ key, name, unit }) => {
            return { key, name, ...(unit === '' ? {} : { unit }) }
          }),
        }),
  }
}

function unflattenCamera({
  kind: _kind,
  structure: _structure,
  ...camera
}: CameraEntry): CameraPart {
  const { hasPTZ, channelNo, ...rest } = camera
  return {
    ...rest,
    ...(channelNo === 1 ? {} : { channelNo }),
    ...(hasPTZ ? { hasPTZ } : {}),
  }
}
