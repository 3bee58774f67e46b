import { SourceError } from '../../camera/source/opened-source.ts'
import { parseSource } from '../../camera/source/parse-source.ts'
import { strangeMasks, type CameraAddresses } from '../apply/camera-addresses.ts'
import { isMaskedSource } from '../apply/mask-source.ts'
import { each, eachStation, type CameraPart, type StructurePart } from '../file/file-parts.ts'
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
  { problems, notes }: { problems: ProblemList; notes: ProblemList },
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
    noteUnplayable(camera, place, notes)
    if (camera.onvif !== undefined && !/^https?:\/\//i.test(camera.onvif))
      problems.add([...place, 'onvif'], 'expected an address that begins with http:// or https://')
  }
  checkStationCameras(structure, path, problems)
}

/** Notes sources that the service cannot play: an external media server may play them. */
function noteUnplayable(
  { id, source, standard }: CameraPart,
  place: ValuePath,
  notes: ProblemList,
) {
  const sources = { source, 'standard.source': standard?.source }
  for (const [path, text] of Object.entries(sources)) {
    const why = text === undefined || isMaskedSource(text) ? undefined : whyUnplayable(text)
    if (why !== undefined)
      notes.add(
        [...place, ...path.split('.')],
        `the service cannot play camera ${id} itself: ${why}`,
      )
  }
}

function whyUnplayable(source: string): string | undefined {
  try {
    parseSource(source)
    return undefined
  } catch (error) {
    if (error instanceof SourceError) return error.message.replace(/\.$/, '')
    throw error
  }
}

function checkStationCameras(structure: StructurePart, path: ValuePath, problems: ProblemList) {
  const cameras = new Set((structure.cameras ?? []).map(({ id }) => id))
  for (const [factor, factorPath] of each(structure.factors, ...path, 'factors'))
    for (const [{ camera }, place] of eachStation(factor, factorPath))
      if (camera !== undefined && !cameras.has(camera))
        problems.add([...place, 'camera'], `structure ${structure.id} has no camera ${camera}`)
}
