import type { StreamProtocol } from '@plumbline/contract'
import type { CameraEntry } from '../domain/site/site-entry.ts'
import { RefusedError } from '../errors/refused-error.ts'
import type { Quality } from './grants/grant-text.ts'

/** What an address plays, and the grant for it. */
export type PlaybackRequest = {
  camera: CameraEntry
  quality: Quality
  /** The end of the grant in seconds since 1970. */
  expires: number
  grant: string
}

/** Returns the address at an external media server. */
export type ExternalAddress = (request: PlaybackRequest) => string

export type PlaybackAddressesOptions = {
  /** The protocols that an external media server plays. */
  external: Partial<Record<StreamProtocol, ExternalAddress>>
  /** Why the service itself can play nothing now, such as a missing ffmpeg. */
  findProblem(): Promise<string | undefined>
}

/** The files below an address of the service itself; it has no RTMP. */
const FILES: Partial<Record<StreamProtocol, string>> = { hls: 'index.m3u8', flv: 'live.flv' }

/** Makes the addresses at which a camera plays. */
export class PlaybackAddresses {
  readonly #options: PlaybackAddressesOptions

  constructor(options: PlaybackAddressesOptions) {
    this.#options = options
  }

  /**
   * The address for each protocol that plays now; throws `unavailable` with the reason when none does.
   *
   * `origin` is the address of the service, such as `https://shm.example`.
   */
  async list(
    protocols: readonly StreamProtocol[],
    request: PlaybackRequest,
    origin: string,
  ): Promise<Map<StreamProtocol, string>> {
    const { external } = this.#options
    const problem = protocols.every((protocol) => external[protocol] !== undefined)
      ? undefined
      : await this.#options.findProblem()
    const addresses = new Map<StreamProtocol, string>()
    for (const protocol of protocols) {
      const [elsewhere, file] = [external[protocol], FILES[protocol]]
      if (elsewhere !== undefined) addresses.set(protocol, elsewhere(request))
      else if (file !== undefined && problem === undefined)
        addresses.set(protocol, `${origin}/streams/${request.grant}/${file}`)
    }
    if (addresses.size > 0) return addresses
    throw new RefusedError(
      'unavailable',
      problem ??
        'RTMP needs an external media server, and this service has none: ask for hls or flv.',
    )
  }
}
