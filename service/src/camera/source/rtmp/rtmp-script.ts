import { isIPv6 } from 'node:net'
import { SourceError } from '../opened-source.ts'
import type { NetworkSource } from '../parse-source.ts'

/** So long ffmpeg looks for further streams: most cameras have no sound, and it would wait for it. */
const ANALYSE_MICROSECONDS = 500_000

/**
 * Writes the script by which ffmpeg plays a source of RTMP from a port of this machine.
 *
 * ffmpeg reads it from its standard input: names of streams are often secret, and everybody on the
 * machine sees arguments. They are not in the address either, because ffmpeg names that in errors.
 */
export function rtmpScript(
  { scheme, host, port, path }: Omit<NetworkSource, 'credentials'>,
  relayPort: number,
): string {
  const { application, name } = divide(path)
  const place = `${isIPv6(host) ? `[${host}]` : host}:${port}`
  return [
    'ffconcat version 1.0',
    `file 'rtmp://127.0.0.1:${relayPort}'`,
    `option rtmp_tcurl ${quote(`${scheme}://${place}/${application}`)}`,
    `option rtmp_app ${quote(application)}`,
    `option rtmp_playpath ${quote(name)}`,
    'option rtmp_live live',
    `option analyzeduration ${ANALYSE_MICROSECONDS}`,
    '',
  ].join('\n')
}

/** Divides `/live/name?key=1`, or `/live/instance/name`, as players do. */
function divide(path: string): { application: string; name: string } {
  const [, place = '', query = ''] = /^\/([^?]*)(.*)$/.exec(path) ?? []
  const parts = place.split('/')
  const length = parts.length > 2 ? 2 : 1
  const [application, name] = [parts.slice(0, length), parts.slice(length)].map((some) =>
    some.join('/'),
  )
  if (application && name) return { application, name: `${name}${query}` }
  throw new SourceError(
    'A source of rtmp has an application and the name of a stream, as in rtmp://HOST/live/NAME.',
  )
}

/** A text as one word of the script, whatever it has. */
const quote = (text: string): string => `'${text.replaceAll("'", String.raw`'\''`)}'`
