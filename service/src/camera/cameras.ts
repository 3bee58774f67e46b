import type { PlaybackGrants } from './grants/playback-grants.ts'
import type { PlaybackAddresses } from './playback-addresses.ts'
import type { Pictures } from './snapshots/pictures.ts'

/** What the interface needs to play cameras. */
export type Cameras = {
  grants: PlaybackGrants
  addresses: PlaybackAddresses
  pictures: Pictures
}
