import { isMaskedSource, maskSource, unmaskSource } from './mask-source.ts'

/** The members of a camera that are addresses, which may hold passwords. */
export type CameraAddresses = {
  source: string
  standard?: { source?: string; height?: number }
  onvif?: string
}

type AddressPath = 'source' | 'standard.source' | 'onvif'

/** The camera with all its addresses masked. */
export const maskCamera = <Camera extends CameraAddresses>(camera: Camera): Camera =>
  mapAddresses(camera, maskSource)

/** The camera with the stored address where the given one is what that looks like masked. */
export const unmaskCamera = <Camera extends CameraAddresses>(
  camera: Camera,
  stored: CameraAddresses | undefined,
): Camera => mapAddresses(camera, (address, path) => unmaskSource(address, addressAt(stored, path)))

/** The masked addresses that are not those of the stored camera, and whether it has one there. */
export function strangeMasks(
  camera: CameraAddresses,
  stored: CameraAddresses | undefined,
): { path: string[]; isStored: boolean }[] {
  const strange: { path: string[]; isStored: boolean }[] = []
  mapAddresses(camera, (address, path) => {
    const known = addressAt(stored, path)
    if (isMaskedSource(address) && known !== address && unmaskSource(address, known) === address)
      strange.push({ path: path.split('.'), isStored: known !== undefined })
    return address
  })
  return strange
}

/** A value of a camera's member for a message: addresses in it are masked. */
export function maskMember(path: string, value: unknown): unknown {
  const isAddress = path === 'source' || path === 'onvif' || path === 'standard.source'
  if (typeof value === 'string') return isAddress ? maskSource(value) : value
  if (path !== 'standard' || typeof value !== 'object' || value === null) return value
  return 'source' in value ? { ...value, source: maskSource(String(value.source)) } : value
}

function mapAddresses<Camera extends CameraAddresses>(
  camera: Camera,
  map: (address: string, path: AddressPath) => string,
): Camera {
  const { source, standard, onvif } = camera
  return {
    ...camera,
    source: map(source, 'source'),
    ...(standard?.source === undefined
      ? {}
      : { standard: { ...standard, source: map(standard.source, 'standard.source') } }),
    ...(onvif === undefined ? {} : { onvif: map(onvif, 'onvif') }),
  }
}

function addressAt(camera: CameraAddresses | undefined, path: AddressPath): string | undefined {
  return path === 'standard.source' ? camera?.standard?.source : camera?.[path]
}
