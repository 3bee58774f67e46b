import type { PlaybackGrants } from './grants/playback-grants.ts'
import type { PlaybackAddresses } from './playback-addresses.ts'
import type { CameraControls } from './ptz/camera-controls.ts'

/** What the interface needs to play and move cameras. */
export type Cameras = {
  grants: PlaybackGrants
  addresses: PlaybackAddresses
  control: CameraControls
}
