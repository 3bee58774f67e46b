import type { ServerEvent } from '@plumbline/contract'
import { toNetworkError } from './network-error.ts'

/**
 * Yields the events of a stream until it ends; rejects where the connection breaks, and with the
 * reason of an aborted signal.
 */
export async function* readEvents(
  url: string,
  stream: ReadableStream<Uint8Array<ArrayBuffer>>,
  signal: AbortSignal | undefined,
): AsyncGenerator<ServerEvent, void, undefined> {
  const reader = stream.pipeThrough(new TextDecoderStream()).getReader()
  let rest = ''
  try {
    for (;;) {
      const { value, done } = await reader.read()
      if (done) return
      const blocks = (rest + value).split('\n\n')
      rest = blocks.pop() ?? ''
      for (const block of blocks) {
        const data = block.split('\n').find((line) => line.startsWith('data: '))
        if (data !== undefined) yield JSON.parse(data.slice('data: '.length))
      }
    }
  } catch (error) {
    if (signal?.aborted) throw signal.reason
    throw toNetworkError(url, error)
  } finally {
    await reader.cancel().catch(() => {})
  }
}
