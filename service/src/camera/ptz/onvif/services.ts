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
 * Finds the services of a camera; throws an `OnvifError` for one without PTZ, and for one that names
 * another host or port for them: all requests go to the address that the site file names.
 */
export async function findServices(
  client: SoapClient,
  url: URL,
  address: string,
): Promise<OnvifServices> {
  const path = url.pathname + url.search
  const addresses = await listServices(client, path)
  const [media, ptz] = [addresses.get(MEDIA), addresses.get(PTZ)]
  if (ptz === undefined || media === undefined)
    throw new OnvifError('fault', 'has no PTZ service', { codes: ['NoPTZ'] })
  return { media: pathOf(media, url, address), ptz: pathOf(ptz, url, address) }
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

/** The path of a service; its address has to be that of the device service. */
function pathOf(text: string, url: URL, address: string): string {
  const service = URL.parse(text)
  const hosts = [url.hostname, address, `[${address}]`]
  const isHere =
    service?.protocol === url.protocol &&
    service.port === url.port &&
    hosts.includes(service.hostname)
  if (service === null || !isHere)
    throw new OnvifError(
      'malformed',
      'names another address for its PTZ service than the site file has for it, which is not asked',
      { detail: service?.host },
    )
  return service.pathname + service.search
}
