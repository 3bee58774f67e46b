import type { StreamProtocol } from '@plumbline/contract'
import { RefusedError } from '../../errors/refused-error.ts'
import { toError } from '../../errors/thrown.ts'
import { parseAddressTemplate, type AddressTemplate } from './address-template.ts'
import { needsKey, signAddress, type SigningScheme } from './signing/signing.ts'

export type MediaServerOptions = Readonly<{
  /** The address templates, `media.hls` and its siblings; empty: the server does not play the protocol. */
  templates: Readonly<Record<StreamProtocol, string>>
  /** `media.signing`. */
  signing: SigningScheme
  /** The content of `media.signingKeyFile`; empty without one. */
  signingKey: string
}>

/** What an address of a media server plays, and until when. */
export type Playback = Readonly<{
  camera: Readonly<{ id: number; serialNo: string; channelNo: number }>
  quality: 'h' | 'd'
  /** A playback grant for the same camera, quality and end. */
  grant: string
  expiresAt: number
}>

/** The addresses at which an external media server plays cameras. */
export type MediaServer = Readonly<{
  /** The signed address of a stream; undefined for a protocol that the server does not play. */
  addressOf(protocol: StreamProtocol, playback: Playback): string | undefined
}>

/** The schemes of addresses for the players of a protocol. */
const SCHEMES: Readonly<Record<StreamProtocol, readonly string[]>> = {
  hls: ['https://', 'http://'],
  flv: ['https://', 'http://'],
  rtmp: ['rtmps://', 'rtmp://'],
}

/** Checks the address templates and the signing; throws a `RefusedError` that names the setting. */
export function mediaServer({ templates, signing, signingKey }: MediaServerOptions): MediaServer {
  const readTemplate = (protocol: StreamProtocol): AddressTemplate | undefined => {
    const text = templates[protocol]
    return text === '' ? undefined : parseTemplate(protocol, text, signing)
  }
  const parsed: Readonly<Record<StreamProtocol, AddressTemplate | undefined>> = {
    hls: readTemplate('hls'),
    flv: readTemplate('flv'),
    rtmp: readTemplate('rtmp'),
  }
  if (needsKey(signing) && signingKey === '')
    throw new RefusedError(
      'invalid',
      `media.signing: ${signing} signs with a key; name its file in media.signingKeyFile`,
    )
  return {
    addressOf(protocol, { camera, quality, grant, expiresAt }) {
      const expiresAtSeconds = Math.floor(expiresAt / 1000)
      const address = parsed[protocol]?.write({
        camera: camera.id,
        serialNo: camera.serialNo,
        channel: camera.channelNo,
        quality,
        grant,
        expires: expiresAtSeconds,
      })
      if (address === undefined) return undefined
      return signAddress(signing, { address, expiresAtSeconds, key: signingKey })
    },
  }
}

function parseTemplate(
  protocol: StreamProtocol,
  text: string,
  signing: SigningScheme,
): AddressTemplate {
  try {
    const template = parseAddressTemplate(text)
    const start = text.toLowerCase()
    if (!SCHEMES[protocol].some((scheme) => start.startsWith(scheme)))
      throw refuse(`the address must begin with ${SCHEMES[protocol].join(' or ')}`)
    if (!needsKey(signing) && !template.placeholders.has('grant'))
      throw refuse(
        'the address has no {grant}, so that the media server could not know who may play: add it, or choose another media.signing',
      )
    return template
  } catch (error) {
    throw refuse(`media.${protocol}: ${toError(error).message}`)
  }
}

const refuse = (message: string) => new RefusedError('invalid', message)
