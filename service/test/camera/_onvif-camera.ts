import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { text } from 'node:stream/consumers'
import { attribute, date, envelope, escape, fault, tag, type Answer } from './_onvif-soap.ts'

type Vector = { pan: number; tilt: number; zoom: number }

type Preset = { name: string; position: Vector }

/** What a camera does in place of an operation; `silence` never answers. */
type Misbehaviour = (response: ServerResponse) => Answer | 'silence' | undefined

const STILL: Vector = { pan: 0, tilt: 0, zoom: 0 }

const sha1 = (...parts: (string | Buffer)[]): string => {
  const hash = createHash('sha1')
  for (const part of parts) hash.update(part)
  return hash.digest('base64')
}

const md5 = (value: string): string => createHash('md5').update(value).digest('hex')

/** A small ONVIF camera: it checks passwords, keeps its position and presets, and ends movements. */
export class OnvifTestCamera implements AsyncDisposable {
  user = 'admin'
  password = 'p@ss<word>&"1'
  /** How it wants the password. */
  security: 'wsse' | 'digest' = 'wsse'
  /** What its clock is ahead, in milliseconds. */
  clockAhead = 0
  /** Its oldest answers: it knows no `GetServices`. */
  isOld = false
  /** Video sources, and whether each can be moved. */
  sources = [{ token: 'VideoSource_1', hasPTZ: true }]
  /** What stands in its answers as its own host and port. */
  named = ''
  /** By operation. */
  misbehave: Record<string, Misbehaviour> = {}
  velocity = STILL
  readonly presets = new Map<string, Preset>()
  /** Operations in the order in which they came, those of opening left out. */
  readonly commands: string[] = []
  readonly requests: string[] = []
  /** Why it refused requests. */
  readonly refusals: string[] = []
  /** Milliseconds from the begin of each movement to its end, and who ended it. */
  readonly movements: { milliseconds: number; end: 'stop' | 'timeout' | 'replaced' }[] = []
  /** The timeout of the last movement. */
  timeout = ''
  /** Profile of the last PTZ command. */
  profile = ''
  #startedAt = 0
  #timer: NodeJS.Timeout | undefined
  #position = STILL
  #tokens = 0
  readonly #nonces = new Set<string>()
  readonly #server: Server

  constructor() {
    this.#server = createServer((request, response) => void this.#answer(request, response))
  }

  static async open(): Promise<OnvifTestCamera> {
    const camera = new OnvifTestCamera()
    camera.#server.listen(0, '127.0.0.1')
    await once(camera.#server, 'listening')
    camera.named = `127.0.0.1:${camera.port}`
    return camera
  }

  get port(): number {
    const address = this.#server.address()
    return typeof address === 'object' && address !== null ? address.port : 0
  }

  /** Its ONVIF address, with user and password. */
  get onvif(): string {
    const password = encodeURIComponent(this.password)
    return `http://${this.user}:${password}@127.0.0.1:${this.port}/onvif/device_service`
  }

  get isMoving(): boolean {
    return this.velocity !== STILL
  }

  async [Symbol.asyncDispose](): Promise<void> {
    clearTimeout(this.#timer)
    if (!this.#server.listening) return
    this.#server.closeAllConnections()
    this.#server.close()
    await once(this.#server, 'close')
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const xml = await text(request)
    const [, body = ''] = /<(?:\w+:)?Body[^>]*>([^]*)<\/(?:\w+:)?Body>/.exec(xml) ?? []
    const [, operation = ''] = /^<(?:\w+:)?(\w+)/.exec(body) ?? []
    this.requests.push(operation)
    const answer =
      this.misbehave[operation]?.(response) ??
      this.#refuse(operation, xml, request) ??
      this.#perform(operation, body)
    if (answer === 'silence') return
    response.writeHead(answer.status ?? 200, {
      'content-type': 'application/soap+xml; charset=utf-8',
      ...answer.headers,
    })
    response.end(answer.body)
  }

  #refuse(operation: string, xml: string, request: IncomingMessage): Answer | undefined {
    if (operation === 'GetSystemDateAndTime') return undefined
    if (this.security === 'wsse') {
      const why = this.#checkToken(xml)
      if (why === undefined) return undefined
      this.refusals.push(why)
      return fault(400, 'NotAuthorized')
    }
    const why = this.#checkDigest(request)
    if (why === undefined) return undefined
    this.refusals.push(why)
    return {
      status: 401,
      headers: {
        'www-authenticate': `Digest realm="Camera, \\"east\\"", qop="auth,auth-int", nonce="n${++this.#tokens}", opaque="o"`,
      },
      body: '<html>Unauthorized</html>',
    }
  }

  /** WS-Security UsernameToken: user, digest, a nonce that is new, and a time within 5 s of its clock. */
  #checkToken(xml: string): string | undefined {
    const [nonce, created] = [tag(xml, 'Nonce'), tag(xml, 'Created')]
    if (nonce === undefined || created === undefined) return 'no token'
    if (tag(xml, 'Username') !== this.user) return 'wrong user'
    const wanted = sha1(Buffer.from(nonce, 'base64'), created, this.password)
    if (tag(xml, 'Password') !== wanted) return 'wrong digest'
    const late = Math.abs(Date.parse(created) - Date.now() - this.clockAhead)
    if (!(late < 5_000)) return 'wrong time'
    if (this.#nonces.has(nonce)) return 'nonce used before'
    this.#nonces.add(nonce)
    return undefined
  }

  /** HTTP digest with MD5 and `qop=auth`, each nonce with growing counts. */
  #checkDigest({ headers, method = '', url = '' }: IncomingMessage): string | undefined {
    const { authorization = '' } = headers
    if (authorization === '') return 'no authorization'
    const part = (name: string): string => {
      const [, quoted, plain] =
        new RegExp(`[ ,]${name}=(?:"((?:[^"\\\\]|\\\\.)*)"|(\\w+))`).exec(authorization) ?? []
      return quoted?.replace(/\\(.)/g, '$1') ?? plain ?? ''
    }
    const [nonce, nc] = [part('nonce'), part('nc')]
    if (!/^n\d+$/.test(nonce) || part('uri') !== url || part('opaque') !== 'o') return 'wrong parts'
    if (this.#nonces.has(`${nonce} ${nc}`)) return 'count used before'
    this.#nonces.add(`${nonce} ${nc}`)
    const ha1 = md5(`${this.user}:Camera, "east":${this.password}`)
    const ha2 = md5(`${method}:${url}`)
    const wanted = md5(`${ha1}:${nonce}:${nc}:${part('cnonce')}:auth:${ha2}`)
    return part('response') === wanted && part('username') === this.user
      ? undefined
      : 'wrong digest'
  }

  #perform(operation: string, body: string): Answer {
    const ok = (content = ''): Answer => ({
      body: envelope(`<tptz:${operation}Response>${content}</tptz:${operation}Response>`),
    })
    const opening = this.#describe(operation)
    if (opening !== undefined) return opening
    this.commands.push(operation)
    this.profile = tag(body, 'ProfileToken') ?? ''
    const token = tag(body, 'PresetToken')
    const preset = this.presets.get(token ?? '')
    switch (operation) {
      case 'ContinuousMove':
        this.#move(body)
        return ok()
      case 'Stop':
        this.#end('stop')
        return ok()
      case 'GetPresets':
        return ok(
          Array.from(
            this.presets,
            ([key, { name }]) =>
              `<tptz:Preset token="${escape(key)}"><tt:Name>${escape(name)}</tt:Name></tptz:Preset>`,
          ).join(''),
        )
      case 'SetPreset': {
        const key = token ?? `Preset ${++this.#tokens}`
        this.presets.set(key, { name: tag(body, 'PresetName') ?? '', position: this.#position })
        return ok(`<tptz:PresetToken>${escape(key)}</tptz:PresetToken>`)
      }
      case 'GotoPreset':
        if (preset === undefined) return fault(400, 'InvalidArgVal', 'NoToken')
        this.#end('replaced')
        this.#position = preset.position
        return ok()
      case 'RemovePreset':
        if (!this.presets.delete(token ?? '')) return fault(400, 'InvalidArgVal', 'NoToken')
        return ok()
      default:
        return fault(400, 'ActionNotSupported')
    }
  }

  #describe(operation: string): Answer | undefined {
    const address = (service: string): string => `http://${this.named}/onvif/${service}?v=2`
    switch (operation) {
      case 'GetSystemDateAndTime':
        return {
          body: envelope(
            `<tds:GetSystemDateAndTimeResponse><tds:SystemDateAndTime>${date(new Date(Date.now() + this.clockAhead))}</tds:SystemDateAndTime></tds:GetSystemDateAndTimeResponse>`,
          ),
        }
      case 'GetServices': {
        if (this.isOld) return fault(500, 'ActionNotSupported')
        const service = (namespace: string, name: string): string =>
          `<tds:Service><tds:Namespace>http://www.onvif.org/${namespace}/wsdl</tds:Namespace><tds:XAddr>${address(name)}</tds:XAddr></tds:Service>`
        const all = [service('ver10/device', 'device_service'), service('ver10/media', 'Media')]
        if (this.sources.length > 0) all.push(service('ver20/ptz', 'PTZ'))
        return {
          body: envelope(`<tds:GetServicesResponse>${all.join('')}</tds:GetServicesResponse>`),
        }
      }
      case 'GetCapabilities':
        return {
          body: envelope(
            `<tds:GetCapabilitiesResponse><tds:Capabilities><tt:Media><tt:XAddr>${address('Media')}</tt:XAddr></tt:Media><tt:PTZ><tt:XAddr>${address('PTZ')}</tt:XAddr></tt:PTZ></tds:Capabilities></tds:GetCapabilitiesResponse>`,
          ),
        }
      case 'GetProfiles': {
        const profiles = this.sources.flatMap(({ token, hasPTZ }) =>
          ['main', 'sub'].map(
            (name) =>
              `<trt:Profiles token="${token}_${name}"><tt:VideoSourceConfiguration token="c"><tt:SourceToken>${token}</tt:SourceToken></tt:VideoSourceConfiguration>${hasPTZ ? '<tt:PTZConfiguration token="p"/>' : ''}</trt:Profiles>`,
          ),
        )
        return {
          body: envelope(`<trt:GetProfilesResponse>${profiles.join('')}</trt:GetProfilesResponse>`),
        }
      }
      default:
        return undefined
    }
  }

  #move(body: string): void {
    this.#end('replaced')
    this.velocity = {
      pan: attribute(body, 'PanTilt', 'x'),
      tilt: attribute(body, 'PanTilt', 'y'),
      zoom: attribute(body, 'Zoom', 'x'),
    }
    this.timeout = tag(body, 'Timeout') ?? ''
    this.#startedAt = performance.now()
    const [, seconds] = /^PT(\d+)S$/.exec(this.timeout) ?? []
    this.#timer = setTimeout(() => this.#end('timeout'), Number(seconds) * 1000)
  }

  #end(end: 'stop' | 'timeout' | 'replaced'): void {
    clearTimeout(this.#timer)
    if (!this.isMoving) return
    const milliseconds = performance.now() - this.#startedAt
    this.movements.push({ milliseconds, end })
    this.#position = {
      pan: this.#position.pan + (this.velocity.pan * milliseconds) / 1000,
      tilt: this.#position.tilt + (this.velocity.tilt * milliseconds) / 1000,
      zoom: this.#position.zoom + (this.velocity.zoom * milliseconds) / 1000,
    }
    this.velocity = STILL
  }
}
