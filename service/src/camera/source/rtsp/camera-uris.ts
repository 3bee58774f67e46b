import { isIPv6 } from 'node:net'
import { SourceError } from '../opened-source.ts'
import type { NetworkSource } from '../parse-source.ts'

/** The URI of a source without its credentials. */
export const sourceUri = (source: NetworkSource): string => `${originOf(source)}${source.path}`

/**
 * Returns a URI that a camera named, on the host of its source.
 *
 * Cameras behind a router name addresses that exist only there. Nobody connects to them: it is a name.
 */
export function uriOnHost(source: NetworkSource, uri: string): string {
  const [, path] = /^rtsps?:\/\/[^/?]*([\x21-\x7e]*)$/i.exec(uri) ?? []
  if (path === undefined)
    throw new SourceError('The camera described its stream in an unknown way.')
  return `${originOf(source)}${path}`
}

function originOf({ scheme, host, port }: NetworkSource): string {
  const isUsual = port === (scheme === 'rtsps' ? 322 : 554)
  return `${scheme}://${isIPv6(host) ? `[${host}]` : host}${isUsual ? '' : `:${port}`}`
}
