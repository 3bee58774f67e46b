import { SourceError } from '../opened-source.ts'

/** What a camera describes, as ffmpeg may see it, and the URIs that stay here. */
export type PlayableSdp = Readonly<{
  text: string
  /** By which all streams are played. */
  aggregate: string
  /** The URI of each stream; ffmpeg knows it by its place in this list. */
  tracks: readonly string[]
}>

/** Names and numbers of codecs (RFC 3551) that are played. */
const CODECS: ReadonlySet<string> = new Set('H264 H265 HEVC JPEG MP4V-ES'.split(' '))
const JPEG_NUMBER = '26'

/** Attributes of a stream that a decoder needs. */
const NEEDED = /^a=(rtpmap|fmtp|framerate|framesize|cliprect|x-dimensions):/i

/**
 * Returns the first stream of video alone: sound is not passed on, and no URI of the camera is in it.
 *
 * Throws a SourceError if there is no video, or none that is played.
 */
export function playableSdp(
  sdp: string,
  base: string,
  ownUri: (uri: string) => string,
): PlayableSdp {
  const lines = sdp.split(/\r?\n/).map((line) => line.replaceAll(/\p{Cc}/gu, ''))
  const starts = lines.flatMap((line, at) => (line.startsWith('m=') ? [at] : []))
  const media = starts.map((start, at) => lines.slice(start, starts[at + 1]))
  const videos = media.filter(([first = '']) => /^m=video /i.test(first))
  if (videos.length === 0) throw new SourceError('The camera offers no video.')
  const video = videos.find((one) => CODECS.has(codecOf(one)))
  if (video === undefined)
    throw new SourceError('The camera offers no video in H.264, H.265, MPEG-4 or JPEG.')
  const aggregate = controlOf(lines.slice(0, starts[0]), base, ownUri) ?? base
  const text = [
    'v=0',
    'o=- 0 0 IN IP4 127.0.0.1',
    's=-',
    't=0 0',
    `m=video 0 RTP/AVP ${numberOf(video)}`,
    'c=IN IP4 0.0.0.0',
    ...video.filter((line) => NEEDED.test(line)),
    'a=control:0',
  ]
  return {
    text: `${text.join('\r\n')}\r\n`,
    aggregate,
    tracks: [controlOf(video, aggregate, ownUri) ?? aggregate],
  }
}

/** The number by which the packets of a stream name its codec; undefined if they are encrypted. */
const numberOf = ([first = '']: readonly string[]): string | undefined =>
  /^m=video [\d/]+ RTP\/AVPF? (\d{1,3})\b/i.exec(first)?.[1]

/** The name of the codec of a stream, in upper case; empty if it has none. */
function codecOf(media: readonly string[]): string {
  const number = numberOf(media)
  if (number === JPEG_NUMBER) return 'JPEG'
  const [name] = media.flatMap((line) => {
    const [, of, name] = /^a=rtpmap:(\d+) +([\w.-]+)\//i.exec(line) ?? []
    return of === number && name !== undefined ? [name.toUpperCase()] : []
  })
  return name ?? ''
}

/**
 * The URI by which a part is controlled; undefined where it is that of the whole.
 *
 * A relative one is appended, as players do it, because cameras have questions in their paths:
 * `/cam?channel=1` and `trackID=0` are `/cam?channel=1/trackID=0`.
 */
function controlOf(
  lines: readonly string[],
  base: string,
  ownUri: (uri: string) => string,
): string | undefined {
  const [control = ''] = lines.flatMap((line) => /^a=control:(.*)$/i.exec(line)?.[1]?.trim() ?? [])
  if (control === '' || control === '*') return undefined
  if (!/^[\x21-\x7e]+$/.test(control))
    throw new SourceError('The camera described its stream in an unknown way.')
  if (/^[a-z][a-z0-9+.-]*:\/\//i.test(control)) return ownUri(control)
  return `${base}${base.endsWith('/') ? '' : '/'}${control}`
}
