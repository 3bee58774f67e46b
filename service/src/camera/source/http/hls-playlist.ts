import { SourceError } from '../opened-source.ts'

/** A part of a file: its first byte, and how many. */
export type ByteRange = Readonly<{ start: number; length: number }>

/** Something to get: a reference of a playlist, and the part of it. */
export type HlsResource = Readonly<{ uri: string; range: ByteRange | undefined }>

export type HlsSegment = HlsResource &
  Readonly<{
    /** It is one more than that of the segment before. */
    number: number
    seconds: number
    /** What a decoder needs before it, in MP4. */
    map: HlsResource | undefined
  }>

/** A playlist with the segments of a stream, or one with the streams to choose from. */
export type HlsPlaylist =
  | {
      kind: 'media'
      /** No segment is longer. */
      targetSeconds: number
      segments: readonly HlsSegment[]
      hasEnded: boolean
    }
  | { kind: 'master'; variants: readonly Readonly<{ uri: string; bandwidth: number }>[] }

const MOST_TARGET_SECONDS = 60

/** Parses a playlist of HLS (RFC 8216); throws a SourceError for what cannot be played. */
export function parsePlaylist(text: string): HlsPlaylist {
  const lines = text
    .replace(/^\ufeff/, '')
    .split(/\r?\n/)
    .map((line) => line.trim())
    .filter((line) => line !== '')
  if (lines[0] !== '#EXTM3U') throw new SourceError('The camera sent no playlist of HLS.')
  const isMaster = lines.some((line) => line.startsWith('#EXT-X-STREAM-INF:'))
  return isMaster ? parseMaster(lines) : parseMedia(lines)
}

function parseMaster(lines: readonly string[]): HlsPlaylist {
  const variants: { uri: string; bandwidth: number }[] = []
  let bandwidth: number | undefined
  for (const line of lines)
    if (line.startsWith('#EXT-X-STREAM-INF:'))
      bandwidth = Number(attributesOf(line).get('BANDWIDTH') ?? 0)
    else if (!line.startsWith('#') && bandwidth !== undefined) {
      variants.push({ uri: line, bandwidth })
      bandwidth = undefined
    }
  return { kind: 'master', variants }
}

function parseMedia(lines: readonly string[]): HlsPlaylist {
  const reader = new MediaReader()
  for (const line of lines) reader.read(line)
  return reader.playlist()
}

/** Reads the lines of a playlist with segments. */
class MediaReader {
  readonly #segments: HlsSegment[] = []
  #targetSeconds: number | undefined
  #number = 0
  #seconds: number | undefined
  #range: string | undefined
  #map: HlsResource | undefined
  #isGap = false
  #hasEnded = false

  read(line: string): void {
    if (!line.startsWith('#')) return this.#add(line)
    const [, tag = '', value = ''] = /^#(EXT[A-Z-]*):?(.*)$/.exec(line) ?? []
    if (tag === 'EXT-X-TARGETDURATION') this.#targetSeconds = Number(value)
    else if (tag === 'EXT-X-MEDIA-SEQUENCE') this.#number = Number(value)
    else if (tag === 'EXTINF') this.#seconds = Number(value.split(',')[0])
    else if (tag === 'EXT-X-BYTERANGE') this.#range = value
    else if (tag === 'EXT-X-MAP') this.#map = readMap(line)
    else if (tag === 'EXT-X-GAP') this.#isGap = true
    else if (tag === 'EXT-X-ENDLIST') this.#hasEnded = true
    else if (tag === 'EXT-X-KEY' && attributesOf(line).get('METHOD') !== 'NONE')
      throw new SourceError('The stream of the camera is encrypted, which is not played.')
  }

  playlist(): HlsPlaylist {
    const targetSeconds = this.#targetSeconds ?? 0
    if (!(targetSeconds > 0 && targetSeconds <= MOST_TARGET_SECONDS))
      throw unreadable('a target duration of 1 to 60 seconds')
    return {
      kind: 'media',
      targetSeconds,
      segments: this.#segments,
      hasEnded: this.#hasEnded,
    }
  }

  #add(uri: string): void {
    const number = this.#number++
    const seconds = this.#seconds ?? 0
    if (!Number.isSafeInteger(number) || number < 0) throw unreadable('a number of segments')
    if (!(seconds >= 0 && seconds <= 2 * MOST_TARGET_SECONDS))
      throw unreadable('segments of up to 2 minutes')
    const before = this.#segments.at(-1)
    const range = readRange(this.#range, before?.uri === uri ? before.range : undefined)
    if (!this.#isGap) this.#segments.push({ uri, range, number, seconds, map: this.#map })
    this.#seconds = undefined
    this.#range = undefined
    this.#isGap = false
  }
}

function readMap(line: string): HlsResource {
  const attributes = attributesOf(line)
  const uri = attributes.get('URI')
  if (uri === undefined) throw unreadable('a map with an address')
  return { uri, range: readRange(attributes.get('BYTERANGE'), undefined) }
}

/** Reads `length@start`; without a start the part follows the one before it. */
function readRange(text: string | undefined, before: ByteRange | undefined): ByteRange | undefined {
  if (text === undefined) return undefined
  const [, length, start] = /^(\d{1,12})(?:@(\d{1,15}))?$/.exec(text) ?? []
  if (length === undefined || length === '0') throw unreadable('ranges of bytes')
  const next = before === undefined ? 0 : before.start + before.length
  return { start: start === undefined ? next : Number(start), length: Number(length) }
}

/** The attributes of a tag, without quotes. */
function attributesOf(line: string): ReadonlyMap<string, string> {
  const parts = line.matchAll(/[:,]\s*([A-Z0-9-]+)=(?:"([^"]*)"|([^",]*))/g)
  return new Map(Array.from(parts, ([, name = '', quoted, bare = '']) => [name, quoted ?? bare]))
}

const unreadable = (expected: string): SourceError =>
  new SourceError(`The playlist of the camera cannot be read: it should have ${expected}.`)
