import type { DeviceKind } from '../../domain/site/device-kind.ts'
import { checkKeys } from './check-catalogue.ts'
import { canonicalUuid, each, type DevicePart, type StructurePart } from '../file/file-parts.ts'
import type { ValuePath } from '../../schemas/value-path.ts'
import type { ProblemList } from '../../yaml/problem-list.ts'

const RANK: Record<DeviceKind, number> = { gateway: 0, dtu: 1, node: 2, sensor: 3 }

/** The devices of a structure by their ids. */
export function devicesOf(structure: StructurePart): Map<string, DevicePart> {
  return new Map((structure.devices ?? []).map((device) => [canonicalUuid(device.id), device]))
}

/** Checks that keys are unique and that parents are above their children, so that there is no cycle. */
export function checkDevices(
  structure: StructurePart,
  path: ValuePath,
  problems: ProblemList,
): void {
  const devices = devicesOf(structure)
  for (const [device, place] of each(structure.devices, ...path, 'devices')) {
    const keys = (device.items ?? []).map(({ key }) => key)
    checkKeys(keys, [...place, 'items'], problems)

    if (device.parent === undefined || device.parent === null) continue
    const parent = devices.get(canonicalUuid(device.parent))
    if (parent === undefined) {
      problems.add([...place, 'parent'], `structure ${structure.id} has no device ${device.parent}`)
    } else if (RANK[parent.kind] >= RANK[device.kind]) {
      problems.add(
        [...place, 'parent'],
        `a ${device.kind} cannot report through a ${parent.kind} (${parent.name})`,
      )
    }
  }
}
