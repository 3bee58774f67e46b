import { oneOf } from '@plumbline/contract'
import { Type } from 'typebox'
import { parseCertificateName } from '../domain/access/certificate-name.ts'
import { parseNetwork } from '../domain/access/network.ts'
import { parseAddressTemplate, PLACEHOLDERS } from '../domain/cameras/address-template.ts'
import { SIGNING_SCHEMES } from '../domain/cameras/signing-scheme.ts'
import { setting } from './setting.ts'
import { fileOrEmpty, positive, wholeNumber } from './setting-schemas.ts'

/** Networks of this kind of addresses are private: RFC 1918 and RFC 4193. */
const PRIVATE_NETWORKS = ['10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16', 'fc00::/7']

const isHost = (text: string): boolean =>
  parseNetwork(text) !== undefined || parseCertificateName(text) !== undefined

const isHttpUrl = (text: string): boolean => /^https?:$/.test(URL.parse(text)?.protocol ?? '')

/** Settings of the cameras that the service plays itself. */
export const CAMERA_SETTINGS = {
  'cameras.ffmpeg': setting({
    schema: Type.String({ minLength: 1, title: 'a command or the path of a program' }),
    default: 'ffmpeg',
    description: 'The ffmpeg that reads cameras. Without it no camera plays; all else works.',
  }),
  'cameras.hosts': setting({
    schema: Type.Array(Type.String(), {
      title: 'a list of host names, addresses and networks such as 192.168.0.0/16',
    }),
    accepts: (hosts) => hosts.every(isHost),
    default: PRIVATE_NETWORKS,
    description:
      'Hosts, addresses and networks where cameras may be. The service connects to no other, whatever a site file or a camera names. The default is all private networks; this machine and link-local addresses have to be named.',
  }),
  'cameras.maxStreams': setting({
    schema: wholeNumber(0, 1000),
    default: 8,
    description:
      'Streams that play at once, each with an ffmpeg of its own, however many people watch it. A further one gets 503. 0: the service plays none.',
  }),
  'cameras.idleSeconds': setting({
    schema: Type.Number({ minimum: 15, maximum: 3600, unit: 'seconds' }),
    default: 30,
    description: 'Seconds after which a stream that nobody watches is stopped.',
  }),
  'cameras.segmentSeconds': setting({
    schema: Type.Number({ minimum: 1, maximum: 10, unit: 'seconds' }),
    default: 2,
    description:
      'Shortest length of an HLS segment. It ends at the next keyframe of the camera, so that cameras with a keyframe every two seconds play soonest.',
  }),
  'cameras.maxMegabits': setting({
    schema: positive(1000),
    default: 30,
    description: 'Megabits a second that a camera may send. One that sends more is cut off.',
  }),
  'cameras.maxMemoryMegabytes': setting({
    schema: wholeNumber(64, 65_536),
    default: 512,
    description:
      'Memory of one ffmpeg in megabytes. One that takes more is ended and started again.',
  }),
} as const

/** Whether a text is an address with placeholders that can be filled in. */
function isAddressTemplate(text: string): boolean {
  try {
    parseAddressTemplate(text)
    return true
  } catch {
    return false
  }
}

const template = Type.String({
  title: `an address such as https://media.example/{camera}-{quality}.flv?grant={grant} with the placeholders ${PLACEHOLDERS.map((name) => `{${name}}`).join(', ')}, or empty`,
})
const acceptsTemplate = (text: string) => text === '' || isAddressTemplate(text)

/** Settings of external media servers, which play cameras in place of the service. */
export const MEDIA_SETTINGS = {
  'media.hls': setting({
    schema: template,
    accepts: acceptsTemplate,
    default: '',
    description:
      'Address of HLS at an external media server, such as https://media.example/{camera}-{quality}/index.m3u8?grant={grant}. Empty: the service plays HLS itself.',
  }),
  'media.flv': setting({
    schema: template,
    accepts: acceptsTemplate,
    default: '',
    description:
      'Address of HTTP-FLV at an external media server. Empty: the service plays it itself.',
  }),
  'media.rtmp': setting({
    schema: template,
    accepts: acceptsTemplate,
    default: '',
    description:
      'Address of RTMP at an external media server, such as rtmp://media.example/live/{camera}-{quality}?grant={grant}. Empty: there is no RTMP.',
  }),
  'media.signing': setting({
    schema: oneOf(SIGNING_SCHEMES),
    default: 'grant',
    description:
      'How the external media server checks an address. grant: it asks the service. nginx-secure-link, aliyun-a and tencent: it computes the signature that the service adds, with media.signingKeyFile.',
  }),
  'media.signingKeyFile': setting({
    schema: fileOrEmpty,
    default: '',
    description: 'File with the key that the service and the external media server share.',
  }),
  'media.mediamtxApi': setting({
    schema: Type.String({ title: 'an http or https URL, or empty' }),
    accepts: (url) => url === '' || isHttpUrl(url),
    default: '',
    description:
      'Address of the API of a MediaMTX, such as http://127.0.0.1:9997. The service keeps its paths equal to the cameras of the site. Empty: none.',
  }),
  'media.mediamtxUser': setting({
    schema: Type.String(),
    default: '',
    description: 'User of the API of MediaMTX. Empty: none is needed.',
  }),
  'media.mediamtxPasswordFile': setting({
    schema: fileOrEmpty,
    default: '',
    description: 'File with the password of media.mediamtxUser.',
  }),
} as const
