import type { IncomingMessage } from 'node:http'
import { setTimeout as wait } from 'node:timers/promises'
import { SourceError } from '../opened-source.ts'
import {
  parsePlaylist,
  type HlsPlaylist,
  type HlsResource,
  type HlsSegment,
} from './hls-playlist.ts'
import type { HttpBody, HttpCamera } from './http-camera.ts'

type MediaPlaylist = Extract<HlsPlaylist, { kind: 'media' }>

const MOST_PLAYLIST_BYTES = 262_144

/** A player begins so many segments before the end. */
const FIRST_SEGMENTS = 3

/** With more new ones at once it begins anew. */
const MOST_NEW_SEGMENTS = 10

const LEAST_PAUSE_MILLISECONDS = 500

type HlsOptions = {
  camera: HttpCamera
  /** A playlist has to arrive whole within this time. */
  playlistSeconds: number
  signal: AbortSignal
}

/** Whether a response is a playlist of HLS. */
export const isPlaylist = ({
  path,
  contentType,
}: Pick<HttpBody, 'path' | 'contentType'>): boolean =>
  /mpegurl/i.test(contentType) || /^[^?]*\.m3u8(\?|$)/i.test(path)

/**
 * A live stream of HLS, whose segments the service gets: ffmpeg sees no playlist.
 *
 * Every reference of a playlist is on the host and port of the camera, or nothing more is got.
 */
export class HlsStream {
  readonly #options: HlsOptions
  readonly #path: string
  #playlist: MediaPlaylist
  #readAt = performance.now()

  private constructor(options: HlsOptions, path: string, playlist: MediaPlaylist) {
    this.#options = options
    this.#path = path
    this.#playlist = playlist
  }

  /** Reads the playlist of a response, and that of its best stream where it has several. */
  static async open(response: HttpBody, options: HlsOptions): Promise<HlsStream> {
    const { camera, signal } = options
    const playlist = await readPlaylist(response, options)
    if (playlist.kind === 'media') return new HlsStream(options, response.path, playlist)
    const best = await camera.get(bestVariant(playlist.variants, response.path, camera), { signal })
    const chosen = await readPlaylist(best, options)
    if (chosen.kind === 'media') return new HlsStream(options, best.path, chosen)
    throw new SourceError('The playlist of the camera leads from playlist to playlist.')
  }

  /** No segment is longer. */
  get targetSeconds(): number {
    return this.#playlist.targetSeconds
  }

  /** The bytes of the segments, in their order, until the stream ends. */
  async *chunks(): AsyncGenerator<Buffer> {
    let last: HlsSegment | undefined
    while (true) {
      const segments = segmentsAfter(last?.number, this.#playlist.segments)
      for (const segment of segments) {
        yield* this.#mapOf(segment, last)
        yield* this.#get(segment)
        last = segment
      }
      if (this.#playlist.hasEnded) return
      await this.#refresh(segments.length > 0)
    }
  }

  /** What a decoder needs before a segment, if it has not had it. */
  async *#mapOf({ map }: HlsSegment, last: HlsSegment | undefined): AsyncGenerator<Buffer> {
    if (JSON.stringify(map) === JSON.stringify(last?.map)) return
    if (map === undefined || last !== undefined)
      throw new SourceError('The camera changed the format of its stream.')
    yield* this.#get(map)
  }

  async *#get({ uri, range }: HlsResource): AsyncGenerator<Buffer> {
    const { camera, signal } = this.#options
    const part = range && `bytes=${range.start}-${range.start + range.length - 1}`
    const { body } = await camera.get(camera.pathOf(uri, this.#path), { signal, range: part })
    for await (const chunk of body) yield chunk
  }

  /** Reads the playlist again: after the longest segment, or sooner if it had nothing new. */
  async #refresh(hadNew: boolean): Promise<void> {
    const { camera, signal } = this.#options
    const period = this.targetSeconds * 1000 * (hadNew ? 1 : 0.5)
    const due = this.#readAt + Math.max(period, LEAST_PAUSE_MILLISECONDS)
    await wait(Math.max(0, due - performance.now()), undefined, { signal })
    this.#readAt = performance.now()
    const playlist = await readPlaylist(await camera.get(this.#path, { signal }), this.#options)
    if (playlist.kind === 'master')
      throw new SourceError('The playlist of the camera leads from playlist to playlist.')
    this.#playlist = playlist
  }
}

/** The segments to get after one, none twice; without one, those before the end. */
export function segmentsAfter(
  last: number | undefined,
  segments: readonly HlsSegment[],
): readonly HlsSegment[] {
  const newest = segments.at(-1)?.number ?? 0
  // A camera that starts again counts from the beginning.
  if (last === undefined || newest < last) return segments.slice(-FIRST_SEGMENTS)
  const fresh = segments.filter(({ number }) => number > last)
  return fresh.length > MOST_NEW_SEGMENTS ? fresh.slice(-FIRST_SEGMENTS) : fresh
}

/** The path of the stream with the most bits among those on the host of the camera. */
function bestVariant(
  variants: readonly { uri: string; bandwidth: number }[],
  path: string,
  camera: HttpCamera,
): string {
  const [first] = variants
  if (first === undefined) throw new SourceError('The playlist of the camera has no streams.')
  const own = variants.filter(({ uri }) => camera.isOwn(uri, path))
  const [best = first] = own.toSorted((one, other) => other.bandwidth - one.bandwidth)
  return camera.pathOf(best.uri, path)
}

/** Reads a playlist, of which every reference is on the host of the camera. */
async function readPlaylist(
  { path, body }: HttpBody,
  { camera, playlistSeconds }: HlsOptions,
): Promise<HlsPlaylist> {
  const playlist = parsePlaylist(await readText(body, playlistSeconds))
  if (playlist.kind === 'media')
    for (const { uri, map } of playlist.segments)
      for (const reference of [uri, ...(map === undefined ? [] : [map.uri])])
        camera.pathOf(reference, path)
  return playlist
}

async function readText(body: IncomingMessage, seconds: number): Promise<string> {
  const chunks: Buffer[] = []
  let bytes = 0
  let isLate = false
  const timer = setTimeout(() => {
    isLate = true
    body.destroy()
  }, seconds * 1000)
  try {
    for await (const chunk of body) {
      chunks.push(chunk)
      bytes += chunk.length
      if (bytes > MOST_PLAYLIST_BYTES)
        throw new SourceError('The playlist of the camera has more than 256 KB.')
    }
  } catch (error) {
    if (isLate)
      throw new SourceError(`The playlist of the camera did not end within ${seconds} seconds.`)
    throw error
  } finally {
    clearTimeout(timer)
  }
  return Buffer.concat(chunks).toString()
}
