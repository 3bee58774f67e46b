import type { StreamProtocol } from '@plumbline/contract'
import {
  parseAddressTemplate,
  type AddressTemplate,
} from '../../domain/cameras/address-template.ts'
import type { SigningScheme } from '../../domain/cameras/signing-scheme.ts'
import { RefusedError } from '../../errors/refused-error.ts'
import { toError } from '../../errors/thrown.ts'
import type { ExternalAddress } from '../playback-addresses.ts'
import { needsKey, signAddress } from './signing/signing.ts'

export type ExternalAddressesOptions = Readonly<{
  /** `media.hls` and its siblings; empty: the media server does not play the protocol. */
  templates: Readonly<Record<StreamProtocol, string>>
  /** `media.signing`. */
  signing: SigningScheme
  /** The content of `media.signingKeyFile`; empty without one. */
  signingKey: string
}>

/** How the addresses for players of a protocol begin. */
const SCHEMES: Readonly<Record<StreamProtocol, readonly string[]>> = {
  hls: ['https://', 'http://'],
  flv: ['https://', 'http://'],
  rtmp: ['rtmps://', 'rtmp://'],
}

/**
 * Returns what makes the signed addresses at an external media server, for each protocol that it plays;
 * throws a `RefusedError` that names the setting where an address could not be right.
 */
export function externalAddresses({
  templates,
  signing,
  signingKey,
}: ExternalAddressesOptions): Partial<Record<StreamProtocol, ExternalAddress>> {
  if (needsKey(signing) && signingKey === '')
    throw refuse(
      `media.signing: ${signing} signs with a key; name its file in media.signingKeyFile`,
    )
  const open = (protocol: StreamProtocol): Partial<Record<StreamProtocol, ExternalAddress>> => {
    if (templates[protocol] === '') return {}
    const template = readTemplate(protocol, templates[protocol], signing)
    return { [protocol]: addressWriter(template, signing, signingKey) }
  }
  return { ...open('hls'), ...open('flv'), ...open('rtmp') }
}

const addressWriter =
  (template: AddressTemplate, signing: SigningScheme, key: string): ExternalAddress =>
  ({ camera, quality, expires, grant }) => {
    const { id, serialNo, channelNo: channel } = camera
    const address = template.write({ camera: id, serialNo, channel, quality, grant, expires })
    return signAddress(signing, { address, expiresAtSeconds: expires, key })
  }

function readTemplate(
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
