import { OnvifError } from './onvif-error.ts'
import { findServices, MEDIA, PTZ, readClock, type OnvifServices } from './services.ts'
import { SoapClient, type SoapClientOptions } from './soap-client.ts'
import { childrenNamed, escapeXml, findElement, textAt, type XmlElement } from './xml.ts'

const SCHEMA = 'http://www.onvif.org/ver10/schema'

/** Speeds from -1 to 1: right, up and closer are positive. */
export type Velocity = Readonly<{ pan: number; tilt: number; zoom: number }>

/** A stored position of a camera. */
export type Preset = { token: string; name: string }

/** One video source of a camera, which is moved by ONVIF (PTZ service, version 2). */
export class OnvifCamera {
  readonly #client: SoapClient
  readonly #path: string
  readonly #profile: string

  private constructor(client: SoapClient, path: string, profile: string) {
    this.#client = client
    this.#path = path
    this.#profile = profile
  }

  /** Finds the PTZ service, and the media profile by which a channel of the camera is moved. */
  static async open(options: SoapClientOptions, channel: number): Promise<OnvifCamera> {
    const { url, now } = options
    const client = new SoapClient(options)
    client.aheadMilliseconds = await readClock(client, url.pathname + url.search, now)
    const services = await findServices(client, url)
    return new OnvifCamera(client, services.ptz, await findProfile(client, services, channel))
  }

  /** Moves until `stop`, or for some seconds at most. */
  async move({ pan, tilt, zoom }: Velocity, seconds: number): Promise<void> {
    const panTilt =
      pan === 0 && tilt === 0 ? '' : `<PanTilt xmlns="${SCHEMA}" x="${pan}" y="${tilt}"/>`
    const zooming = zoom === 0 ? '' : `<Zoom xmlns="${SCHEMA}" x="${zoom}"/>`
    // Some cameras read whole seconds only.
    const timeout = `<Timeout>PT${Math.ceil(seconds)}S</Timeout>`
    await this.#call('ContinuousMove', `<Velocity>${panTilt}${zooming}</Velocity>${timeout}`)
  }

  async stop(): Promise<void> {
    await this.#call('Stop', '<PanTilt>true</PanTilt><Zoom>true</Zoom>')
  }

  async listPresets(): Promise<Preset[]> {
    const answer = await this.#call('GetPresets')
    return childrenNamed(answer, 'Preset').flatMap((preset) => {
      const token = preset.attributes.get('token') ?? ''
      return token === '' ? [] : [{ token, name: textAt(preset, 'Name') }]
    })
  }

  async goToPreset(token: string): Promise<void> {
    await this.#call('GotoPreset', presetToken(token))
  }

  /** Stores the position under a name, in place of a preset where one is given; returns its token. */
  async savePreset(name: string, token?: string): Promise<string> {
    const replaced = token === undefined ? '' : presetToken(token)
    const named = `<PresetName>${escapeXml(name)}</PresetName>`
    const saved = textAt(await this.#call('SetPreset', `${named}${replaced}`), 'PresetToken')
    if (saved === '') throw new OnvifError('malformed', 'answers without the token of the preset')
    return saved
  }

  async removePreset(token: string): Promise<void> {
    await this.#call('RemovePreset', presetToken(token))
  }

  async #call(operation: string, parameters = ''): Promise<XmlElement> {
    const profile = `<ProfileToken>${escapeXml(this.#profile)}</ProfileToken>`
    const body = `<${operation} xmlns="${PTZ}">${profile}${parameters}</${operation}>`
    const answer = await this.#client.call(this.#path, body)
    if (answer.name === `${operation}Response`) return answer
    throw new OnvifError('malformed', `answers to ${operation} with something else`)
  }
}

/**
 * The token of the first media profile that moves a channel. The channels of a device are its video
 * sources in the order of its profiles; a device with one source has one channel, whatever its number.
 */
async function findProfile(
  client: SoapClient,
  { media }: OnvifServices,
  channel: number,
): Promise<string> {
  const answer = await client.call(media, `<GetProfiles xmlns="${MEDIA}"/>`)
  const profiles = childrenNamed(answer, 'Profiles')
  const sources = [...new Set(profiles.map(sourceOf))].filter((source) => source !== '')
  const source = sources.length > 1 ? sources[channel - 1] : (sources[0] ?? '')
  const profile = profiles.find(
    (one) => sourceOf(one) === source && findElement(one, 'PTZConfiguration') !== undefined,
  )
  const token = profile?.attributes.get('token') ?? ''
  if (source !== undefined && token !== '') return token
  throw new OnvifError('fault', `has no PTZ for channel ${channel}`, { codes: ['NoPTZ'] })
}

const sourceOf = (profile: XmlElement): string =>
  textAt(profile, 'VideoSourceConfiguration', 'SourceToken')

const presetToken = (token: string): string => `<PresetToken>${escapeXml(token)}</PresetToken>`
