import type { Logger } from 'pino'
import type { Cameras } from '../camera/cameras.ts'
import { PlaybackGrants } from '../camera/grants/playback-grants.ts'
import { PlaybackAddresses } from '../camera/playback-addresses.ts'
import type { Pin } from '../camera/ptz/camera-session.ts'
import { CameraControls } from '../camera/ptz/camera-controls.ts'
import { SourceError } from '../camera/source/opened-source.ts'
import type { Config } from '../config/settings.ts'
import type { CurrentCatalogue } from '../storage/current-catalogue.ts'
import { ensureSecret } from './secrets.ts'

type CamerasOptions = {
  config: Config
  dataFolder: string
  catalogue: CurrentCatalogue
  log: Logger
  now(): number
}

/** Opens what plays cameras. */
export async function openCameras({
  config,
  dataFolder,
  catalogue,
  log,
  now,
}: CamerasOptions): Promise<Cameras> {
  const secret = await ensureSecret(dataFolder, 'playback')
  return {
    grants: new PlaybackGrants({ secret, catalogue, now }),
    addresses: new PlaybackAddresses({ external: {}, findProblem: async () => undefined }),
    control: new CameraControls({ pin: namedHosts(config['cameras.hosts']), log, now }),
  }
}

/** Allows the addresses that are in the list themselves. */
function namedHosts(hosts: readonly string[]): Pin {
  return async (host) => {
    if (hosts.includes(host)) return host
    throw new SourceError('The address of the camera is not in the list of allowed hosts.')
  }
}
