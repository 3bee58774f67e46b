import type { Cameras } from '../camera/cameras.ts'
import { PlaybackGrants } from '../camera/grants/playback-grants.ts'
import { PlaybackAddresses } from '../camera/playback-addresses.ts'
import { Pictures } from '../camera/snapshots/pictures.ts'
import type { Config } from '../config/settings.ts'
import type { CurrentCatalogue } from '../storage/current-catalogue.ts'
import { RefusedError } from '../errors/refused-error.ts'
import { ensureSecret } from './secrets.ts'

type CamerasOptions = {
  config: Config
  dataFolder: string
  catalogue: CurrentCatalogue
  now(): number
}

/** Opens what plays cameras. */
export async function openCameras({
  dataFolder,
  catalogue,
  now,
}: CamerasOptions): Promise<Cameras> {
  const secret = await ensureSecret(dataFolder, 'playback')
  return {
    grants: new PlaybackGrants({ secret, catalogue, now }),
    addresses: new PlaybackAddresses({ external: {}, findProblem: async () => undefined }),
    pictures: new Pictures({
      take: async () => {
        throw new RefusedError('unavailable', 'No picture.')
      },
      now,
    }),
  }
}
