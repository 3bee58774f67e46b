import type { IncomingMessage } from 'node:http'
import type { CameraLimits } from '../limits/camera-watch.ts'
import type { OpenedSource } from '../opened-source.ts'
import type { NetworkSource } from '../parse-source.ts'
import { HttpCamera } from './http-camera.ts'
import { pipedSource } from './piped-source.ts'

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
    const { contentType, body } = await camera.get(source.path, { signal: closing.signal })
    return await pipedSource({ chunks: chunksOf(body), contentType, limits, closing })
  } catch (error) {
    closing.abort()
    signal.throwIfAborted()
    throw error
  } finally {
    signal.removeEventListener('abort', stop)
  }
}

async function* chunksOf(body: IncomingMessage): AsyncGenerator<Buffer> {
  for await (const chunk of body) yield chunk
}
