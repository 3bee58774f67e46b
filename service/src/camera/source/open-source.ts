import { hostAllowance, type Lookup } from './allowed-hosts.ts'
import { connectCamera, CONNECT_SECONDS } from './connect.ts'
import { openHttp } from './http/open-http.ts'
import type { CameraLimits } from './limits/camera-watch.ts'
import { openFile } from './open-file.ts'
import type { OpenSource } from './opened-source.ts'
import { parseSource } from './parse-source.ts'
import { openRtmpSource } from './rtmp/open-rtmp-source.ts'
import { RtspRelay } from './rtsp/rtsp-relay.ts'

export type SourceOptions = CameraLimits &
  Readonly<{
    /** The folder of the cameras' files. */
    folder: string
    /** Networks and names of hosts to which the service connects. */
    hosts: readonly string[]
    /** Resolves names; left out: as the machine does. */
    lookup?: Lookup
  }>

/** Opens sources of every kind, with the hosts and the limits of these options. */
export function sourceOpener({ folder, hosts, lookup, ...limits }: SourceOptions): OpenSource {
  const pinAddress = hostAllowance(hosts, lookup)
  return async (text, signal) => {
    const source = parseSource(text)
    if (source.scheme === 'file') return openFile(source, folder)
    const late = AbortSignal.timeout(CONNECT_SECONDS * 1000)
    const address = await pinAddress(source.host, AbortSignal.any([signal, late]))
    signal.throwIfAborted()
    switch (source.scheme) {
      case 'http':
      case 'https':
        return openHttp(source, { address, limits, signal })
      case 'rtsp':
      case 'rtsps':
        return RtspRelay.open(source, await connectCamera(source, address, signal), limits)
      case 'rtmp':
      case 'rtmps':
        return openRtmpSource(source, address, { ...limits, signal })
    }
  }
}
