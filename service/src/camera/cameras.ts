import type { PlaybackGrants } from './grants/playback-grants.ts'
import type { PlaybackAddresses } from './playback-addresses.ts'

/** What the interface needs to play cameras. */
export type Cameras = {
  grants: PlaybackGrants
  addresses: PlaybackAddresses
}
