import { OnvifError } from './onvif-error.ts'
import type { SoapClient } from './soap-client.ts'
import { childrenNamed, findElement, textAt } from './xml.ts'

const DEVICE = 'http://www.onvif.org/ver10/device/wsdl'
export const MEDIA = 'http://www.onvif.org/ver10/media/wsdl'
export const PTZ = 'http://www.onvif.org/ver20/ptz/wsdl'

/** The paths of the services of a camera. */
export type OnvifServices = Readonly<{ media: string; ptz: string }>

/** How far the clock of a camera is ahead, in milliseconds; 0 where it does not say. */
export async function readClock(
  client: SoapClient,
  path: string,
  now: () => number,
): Promise<number> {
  try {
    const answer = await client.ask(path, `<GetSystemDateAndTime xmlns="${DEVICE}"/>`)
    const utc = findElement(answer, 'SystemDateAndTime', 'UTCDateTime')
    const at = (...names: string[]) => Number(textAt(utc, ...names) || 'none')
    const time = Date.UTC(
      at('Date', 'Year'),
      at('Date', 'Month') - 1,
      at('Date', 'Day'),
      at('Time', 'Hour'),
      at('Time', 'Minute'),
      at('Time', 'Second'),
    )
    return Number.isFinite(time) ? time - now() : 0
  } catch (error) {
    if (error instanceof OnvifError && error.failure !== 'unreachable') return 0
    throw error
  }
}

/**
 * Finds the services of a camera; throws an `OnvifError` for one without PTZ.
 *
 * Only the paths of their addresses count: all requests go to the host and port of the site file, also
 * for a camera behind a router, which names itself by another address.
 */
export async function findServices(client: SoapClient, url: URL): Promise<OnvifServices> {
  const path = url.pathname + url.search
  const addresses = await listServices(client, path)
  const [media, ptz] = [addresses.get(MEDIA), addresses.get(PTZ)]
  if (ptz === undefined || media === undefined)
    throw new OnvifError('fault', 'has no PTZ service', { codes: ['NoPTZ'] })
  return { media: pathOf(media), ptz: pathOf(ptz) }
}

/** The addresses of services by their namespaces; old cameras know only `GetCapabilities`. */
async function listServices(client: SoapClient, path: string): Promise<Map<string, string>> {
  try {
    const body = `<GetServices xmlns="${DEVICE}"><IncludeCapability>false</IncludeCapability></GetServices>`
    const services = childrenNamed(await client.call(path, body), 'Service')
    return new Map(services.map((one) => [textAt(one, 'Namespace'), textAt(one, 'XAddr')]))
  } catch (error) {
    if (!(error instanceof OnvifError) || !isUnknownOperation(error)) throw error
  }
  const body = `<GetCapabilities xmlns="${DEVICE}"><Category>All</Category></GetCapabilities>`
  const answer = findElement(await client.call(path, body), 'Capabilities')
  const addresses = new Map<string, string>()
  for (const [namespace, name] of [
    [MEDIA, 'Media'],
    [PTZ, 'PTZ'],
  ] as const) {
    const address = textAt(answer, name, 'XAddr')
    if (address !== '') addresses.set(namespace, address)
  }
  return addresses
}

const isUnknownOperation = ({ failure }: OnvifError): boolean =>
  failure === 'fault' || failure === 'malformed'

function pathOf(text: string): string {
  const service = URL.parse(text)
  if (service === null)
    throw new OnvifError('malformed', 'names no address for its PTZ service', { detail: text })
  return service.pathname + service.search
}
