import { Readable } from 'node:stream'
import { connectCamera } from '../connect.ts'
import type { CameraLimits } from '../limits/camera-watch.ts'
import { SourceError, type OpenedSource } from '../opened-source.ts'
import type { NetworkSource } from '../parse-source.ts'
import { rtmpScript } from './rtmp-script.ts'
import { TcpRelay } from './tcp-relay.ts'

const INPUT: readonly string[] =
  '-protocol_whitelist pipe,rtmp,tcp -format_whitelist concat,flv -f concat -safe 0 -i pipe:0'.split(
    ' ',
  )

/** Opens a camera or a server with RTMP: ffmpeg plays it through a relay. */
export async function openRtmpSource(
  source: NetworkSource,
  address: string,
  { signal, ...limits }: CameraLimits & { signal: AbortSignal },
): Promise<OpenedSource> {
  if (source.credentials !== undefined)
    throw new SourceError(
      'A source of rtmp has no user name and no password before its host: its key is in the path.',
    )
  // A wrong path is refused before a connection is made.
  rtmpScript(source, 0)
  await using stack = new AsyncDisposableStack()
  const camera = await connectCamera(source, address, signal)
  const relay = stack.use(await TcpRelay.open(camera, limits))
  const stdin = Readable.from([Buffer.from(rtmpScript(source, relay.port))], { objectMode: false })
  stack.defer(() => void stdin.destroy())
  const opened = stack.move()
  return {
    input: INPUT,
    stdin,
    failure: () => relay.failure(),
    [Symbol.asyncDispose]: () => opened.disposeAsync(),
  }
}
