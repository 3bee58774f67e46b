import type { IncomingMessage } from 'node:http'
import { brokenConnection } from '../connect.ts'
import { AVERAGE_SECONDS, type CameraLimits } from '../limits/camera-watch.ts'
import type { OpenedSource } from '../opened-source.ts'
import type { NetworkSource } from '../parse-source.ts'
import { HlsStream, isPlaylist } from './hls-stream.ts'
import { HttpCamera, type HttpBody } from './http-camera.ts'
import { pipedSource } from './piped-source.ts'

/** So many segments may arrive at once, or be waited for. */
const HLS_BURST_SEGMENTS = 3

type Opening = { address: string; limits: CameraLimits; signal: AbortSignal }

/** Opens a source of http or https: the service reads it, and ffmpeg gets the bytes. */
export async function openHttp(
  source: NetworkSource,
  { address, limits, signal }: Opening,
): Promise<OpenedSource> {
  const closing = new AbortController()
  const stop = () => closing.abort()
  // The signal is about opening: what is open has a signal of its own.
  signal.addEventListener('abort', stop, { once: true })
  try {
    const camera = new HttpCamera(source, address, limits.stallSeconds)
    const response = await camera.get(source.path, { signal: closing.signal })
    if (isPlaylist(response)) return await openPlaylist(response, { camera, limits, closing })
    const { contentType, body } = response
    return await pipedSource({ chunks: chunksOf(body), contentType, limits, closing })
  } catch (error) {
    closing.abort()
    signal.throwIfAborted()
    throw brokenConnection(error)
  } finally {
    signal.removeEventListener('abort', stop)
  }
}

async function* chunksOf(body: IncomingMessage): AsyncGenerator<Buffer> {
  for await (const chunk of body) yield chunk
}

/** Segments arrive in bursts, with pauses of their length. */
async function openPlaylist(
  response: HttpBody,
  {
    camera,
    limits,
    closing,
  }: { camera: HttpCamera; limits: CameraLimits; closing: AbortController },
): Promise<OpenedSource> {
  const { stallSeconds } = limits
  const { signal } = closing
  const stream = await HlsStream.open(response, { camera, playlistSeconds: stallSeconds, signal })
  const burstSeconds = HLS_BURST_SEGMENTS * stream.targetSeconds
  return pipedSource({
    chunks: stream.chunks(),
    contentType: '',
    limits: {
      ...limits,
      stallSeconds: Math.max(stallSeconds, burstSeconds),
      averageSeconds: AVERAGE_SECONDS + burstSeconds,
    },
    closing,
  })
}
