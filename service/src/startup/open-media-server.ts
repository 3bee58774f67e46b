import type { Logger } from 'pino'
import type { PlaybackGrants } from '../camera/grants/playback-grants.ts'
import { externalAddresses } from '../camera/media-server/external-addresses.ts'
import { MediaMtxApi } from '../camera/media-server/mediamtx/mediamtx-api.ts'
import { startMediaMtxSync } from '../camera/media-server/mediamtx/mediamtx-sync.ts'
import type { Config } from '../config/settings.ts'
import type { CurrentCatalogue } from '../storage/current-catalogue.ts'
import { readSecretFile } from './setting-files.ts'

/** Makes the addresses at an external media server, as the settings say. */
export async function openExternalAddresses(config: Config) {
  return externalAddresses({
    templates: {
      hls: config['media.hls'],
      flv: config['media.flv'],
      rtmp: config['media.rtmp'],
    },
    signing: config['media.signing'],
    signingKey: await readOptional(config['media.signingKeyFile'], 'media.signingKeyFile'),
  })
}

type MediaMtxOptions = {
  config: Config
  catalogue: CurrentCatalogue
  grants: PlaybackGrants
  log: Logger
}

/** Keeps the paths of a MediaMTX equal to the cameras; undefined without its address. */
export async function openMediaMtx({
  config,
  catalogue,
  grants,
  log,
}: MediaMtxOptions): Promise<AsyncDisposable | undefined> {
  const address = config['media.mediamtxApi']
  if (address === '') return undefined
  const file = config['media.mediamtxPasswordFile']
  const password = await readOptional(file, 'media.mediamtxPasswordFile')
  const api = new MediaMtxApi({ api: address, user: config['media.mediamtxUser'], password })
  return startMediaMtxSync({ api, catalogue, grants, log })
}

const readOptional = async (file: string, where: string): Promise<string> =>
  file === '' ? '' : readSecretFile(file, where)
