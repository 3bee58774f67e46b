import { SourceError } from '../opened-source.ts'
import type { NetworkSource } from '../parse-source.ts'
import { redirected } from './camera-dialogue.ts'
import { sourceUri, uriOnHost } from './camera-uris.ts'
import { playableSdp, type PlayableSdp } from './playable-sdp.ts'
import { headerOf, statusOf, type RtspHeaders, type RtspMessage } from './rtsp-message.ts'

/** A request to a camera. */
export type Asked = Readonly<{ method: string; uri: string; headers: RtspHeaders }>

type Answered = { start: string; headers: RtspHeaders; body: string }

/** Without these there is no stream. */
const ESSENTIAL: ReadonlySet<string> = new Set(['DESCRIBE', 'SETUP', 'PLAY'])

/** Requests that are about the source, and not about a part of its description. */
const ABOUT_SOURCE: ReadonlySet<string> = new Set(['OPTIONS', 'DESCRIBE'])

/** Translates requests of ffmpeg for a camera, and the responses back. */
export class RequestTranslation {
  readonly #source: NetworkSource
  readonly #ownUri: string
  #described: PlayableSdp | undefined
  #isPlaying = false
  #session: string | undefined

  /** `ownUri` is the one that ffmpeg reads. */
  constructor(source: NetworkSource, ownUri: string) {
    this.#source = source
    this.#ownUri = ownUri
  }

  /** Whether ffmpeg has asked the camera to play. */
  get isPlaying(): boolean {
    return this.#isPlaying
  }

  /** The request to the camera; undefined if ffmpeg asks for something that it was not told. */
  toCamera(request: RtspMessage): Asked | undefined {
    const [method = '', uri = ''] = request.start.split(' ')
    const target = this.#targetOf(method, uri)
    if (target === undefined) return undefined
    if (method === 'PLAY') this.#isPlaying = true
    if (method === 'TEARDOWN') this.#session = undefined
    const headers = {
      Accept: headerOf(request, 'accept'),
      Transport: method === 'SETUP' ? TRANSPORT : undefined,
      Session: headerOf(request, 'session'),
      Range: headerOf(request, 'range'),
    }
    return { method, uri: target, headers }
  }

  /** The response for ffmpeg; throws a SourceError if there is no stream after this one. */
  toFfmpeg({ method, uri }: Asked, response: RtspMessage): Answered {
    const status = statusOf(response) ?? 500
    if (status >= 300 && status < 400) throw redirected()
    const isGood = status < 300
    if (!isGood && ESSENTIAL.has(method)) throw new SourceError(describeStatus(status))
    if (method === 'SETUP') this.#session = headerOf(response, 'session')?.split(';')[0]
    const start = `RTSP/1.0 ${status} ${isGood ? 'OK' : 'Refused'}`
    const headers = { Public: headerOf(response, 'public'), Session: headerOf(response, 'session') }
    if (!isGood || !ESSENTIAL.has(method)) return { start, headers, body: '' }
    if (method === 'SETUP')
      return { start, headers: { ...headers, Transport: agreedTransport(response) }, body: '' }
    if (method === 'PLAY') return { start, headers, body: '' }
    this.#described = this.#describe(uri, response)
    const type = { 'Content-Type': 'application/sdp' }
    return { start, headers: { ...headers, ...type }, body: this.#described.text }
  }

  /** The request that ends the session; undefined if there is none, or ffmpeg has ended it. */
  goodbye(): Asked | undefined {
    if (this.#session === undefined || this.#described === undefined) return undefined
    const headers = { Session: this.#session }
    return { method: 'TEARDOWN', uri: this.#described.aggregate, headers }
  }

  #targetOf(method: string, uri: string): string | undefined {
    const source = sourceUri(this.#source)
    if (uri === this.#ownUri)
      return ABOUT_SOURCE.has(method) ? source : (this.#described?.aggregate ?? source)
    const track = /^\/(\d)$/.exec(uri.slice(this.#ownUri.length))?.[1]
    return track !== undefined && uri.startsWith(this.#ownUri)
      ? this.#described?.tracks[Number(track)]
      : undefined
  }

  #describe(uri: string, response: RtspMessage): PlayableSdp {
    const onHost = (named: string) => uriOnHost(this.#source, named)
    const named = headerOf(response, 'content-base') ?? headerOf(response, 'content-location')
    const base = named === undefined || !/^rtsp/i.test(named) ? uri : onHost(named)
    return playableSdp(response.body.toString('latin1'), base, onHost)
  }
}

/** ffmpeg reads one stream, in the frames of its own connection. */
const TRANSPORT = 'RTP/AVP/TCP;unicast;interleaved=0-1'

/** The transport of a response; throws a SourceError if the camera sends in another way. */
function agreedTransport(response: RtspMessage): string {
  const text = headerOf(response, 'transport') ?? ''
  const [, channels] = /;\s*interleaved=(\d{1,2}-\d{1,2})/i.exec(text) ?? []
  if (!/^RTP\/AVP\/TCP\b/i.test(text) || channels === undefined)
    throw new SourceError('The camera does not send its stream over the connection of RTSP.')
  return `RTP/AVP/TCP;unicast;interleaved=${channels}`
}

function describeStatus(status: number): string {
  if (status === 403) return 'The camera refused access to the stream.'
  if (status === 404) return 'The camera has no stream of this path.'
  if (status === 453 || status === 503) return 'The camera has no room for another viewer.'
  return `The camera refused the stream with status ${status}.`
}
