import { strangeMasks, type CameraAddresses } from '../apply/camera-addresses.ts'
import { each, eachStation, type StructurePart } from '../file/file-parts.ts'
import type { ValuePath } from '../../schemas/value-path.ts'
import type { ProblemList } from '../../yaml/problem-list.ts'

/**
 * Checks the addresses of cameras, a masked one against those that are stored, and that stations name
 * cameras of their structure.
 */
export function checkCameras(
  structure: StructurePart,
  path: ValuePath,
  stored: ReadonlyMap<number, CameraAddresses>,
  problems: ProblemList,
): void {
  for (const [camera, place] of each(structure.cameras, ...path, 'cameras')) {
    for (const { path: member, isStored } of strangeMasks(camera, stored.get(camera.id))) {
      const what = isStored ? 'another address' : 'no address'
      problems.add(
        [...place, ...member],
        `the address is masked, and ${what} of camera ${camera.id} is stored`,
      )
    }
    if (camera.standard !== undefined && Object.keys(camera.standard).length === 0)
      problems.add([...place, 'standard'], 'expected a source, a height, or both')
    if (camera.onvif !== undefined && !/^https?:\/\//i.test(camera.onvif))
      problems.add([...place, 'onvif'], 'expected an address that begins with http:// or https://')
  }
  checkStationCameras(structure, path, problems)
}

function checkStationCameras(structure: StructurePart, path: ValuePath, problems: ProblemList) {
  const cameras = new Set((structure.cameras ?? []).map(({ id }) => id))
  for (const [factor, factorPath] of each(structure.factors, ...path, 'factors'))
    for (const [{ camera }, place] of eachStation(factor, factorPath))
      if (camera !== undefined && !cameras.has(camera))
        problems.add([...place, 'camera'], `structure ${structure.id} has no camera ${camera}`)
}
