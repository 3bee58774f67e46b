import { randomBytes } from 'node:crypto'
import { request as requestHttp, type IncomingMessage, type RequestOptions } from 'node:http'
import { request as requestHttps } from 'node:https'
import { isIP } from 'node:net'
import { codeOf } from '../../../errors/thrown.ts'
import { writeEnvelope } from './envelope.ts'
import { readFault } from './fault.ts'
import { answerDigest, chooseDigest, parseChallenges, type Challenge } from './http-digest.ts'
import { OnvifError } from './onvif-error.ts'
import { findElement, XmlReader, type XmlElement } from './xml.ts'

const HEADER_BYTES = 16 * 1024
const ANSWER_BYTES = 512 * 1024

export type SoapClientOptions = Readonly<{
  /** The device service, with user and password. */
  url: URL
  /** The address of its host, to which all requests go. */
  address: string
  now(): number
  /** The longest that a request takes, until the last byte of its answer. */
  answerMilliseconds: number
  /** Aborts the request under way. */
  signal(): AbortSignal
}>

type Answer = { status: number; challenges: readonly string[]; envelope: XmlElement | undefined }

type Use = { challenge: Challenge; count: number }

/** Sends SOAP requests to one address and port of a camera, and to no other. */
export class SoapClient {
  /** What the clock of the camera is ahead of ours, in milliseconds. */
  aheadMilliseconds = 0
  readonly #options: SoapClientOptions
  readonly #user: string
  readonly #password: string
  /** The challenge that the camera accepted an answer to. */
  #use: Use | undefined

  constructor(options: SoapClientOptions) {
    this.#options = options
    this.#user = decode(options.url.username)
    this.#password = decode(options.url.password)
  }

  /** Sends a request without user and password; returns the first element of the body of its answer. */
  async ask(path: string, body: string): Promise<XmlElement> {
    return readBody(await this.#post(path, writeEnvelope(body)))
  }

  /**
   * Sends a request with the user and a digest of the password, by WS-Security and, where the camera asks
   * for it, by HTTP; returns the first element of the body of its answer.
   */
  async call(path: string, body: string): Promise<XmlElement> {
    if (this.#user === '') return this.ask(path, body)
    const answer = await this.#post(path, this.#sign(body), this.#authorization(path))
    if (answer.status !== 401) return readBody(answer)
    const challenge = chooseDigest(parseChallenges(answer.challenges))
    if (challenge === undefined) return readBody(answer)
    this.#use = { challenge, count: 0 }
    return readBody(await this.#post(path, this.#sign(body), this.#authorization(path)))
  }

  #sign(body: string): string {
    return writeEnvelope(body, {
      user: this.#user,
      password: this.#password,
      nonce: randomBytes(16),
      createdAt: this.#options.now() + this.aheadMilliseconds,
    })
  }

  #authorization(path: string): string | undefined {
    if (this.#use === undefined) return undefined
    return answerDigest(this.#use.challenge, {
      user: this.#user,
      password: this.#password,
      method: 'POST',
      path,
      count: ++this.#use.count,
      cnonce: randomBytes(16).toString('hex'),
    })
  }

  async #post(path: string, body: string, authorization?: string): Promise<Answer> {
    const late = AbortSignal.timeout(this.#options.answerMilliseconds)
    try {
      const signal = AbortSignal.any([late, this.#options.signal()])
      const response = await this.#send(path, body, authorization, signal)
      const { statusCode: status = 0, headersDistinct } = response
      const challenges = headersDistinct['www-authenticate'] ?? []
      return { status, challenges, envelope: await readEnvelope(response) }
    } catch (error) {
      if (error instanceof OnvifError) throw error
      throw connectionError(late.aborted ? 'TIMEOUT' : (codeOf(error) ?? 'unknown'))
    }
  }

  async #send(
    path: string,
    body: string,
    authorization: string | undefined,
    signal: AbortSignal,
  ): Promise<IncomingMessage> {
    const { url, address } = this.#options
    const isName = isIP(url.hostname.replace(/^\[|\]$/g, '')) === 0
    const options: RequestOptions & { servername?: string } = {
      method: 'POST',
      host: address,
      port: url.port,
      path,
      agent: false,
      signal,
      maxHeaderSize: HEADER_BYTES,
      headers: {
        host: url.host,
        'content-type': 'application/soap+xml; charset=utf-8',
        'content-length': Buffer.byteLength(body),
        ...(authorization === undefined ? {} : { authorization }),
      },
      ...(isName ? { servername: url.hostname } : {}),
    }
    const isSecure = url.protocol === 'https:'
    const sent = isSecure ? requestHttps(options) : requestHttp(options)
    const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>()
    sent.once('response', resolve)
    sent.on('error', reject)
    sent.end(body)
    return promise
  }
}

/** A part of an address; a percent sign that encodes nothing stands for itself. */
function decode(part: string): string {
  try {
    return decodeURIComponent(part)
  } catch {
    return part
  }
}

/** Reads an answer portion by portion; undefined where it has a status of failure and is no XML. */
async function readEnvelope(response: IncomingMessage): Promise<XmlElement | undefined> {
  const { statusCode } = response
  const reader = new XmlReader()
  const decoder = new TextDecoder()
  let bytes = 0
  try {
    for await (const chunk of response) {
      bytes += chunk.length
      if (bytes > ANSWER_BYTES) throw new OnvifError('malformed', 'answers with too many bytes')
      reader.push(decoder.decode(chunk, { stream: true }))
    }
    return reader.end()
  } catch (error) {
    if (statusCode !== 200 && error instanceof OnvifError) return undefined
    throw error
  } finally {
    response.destroy()
  }
}

function readBody({ status, envelope }: Answer): XmlElement {
  const fault = envelope === undefined ? undefined : readFault(envelope)
  if (fault !== undefined) throw fault
  if (status === 401) throw new OnvifError('unauthorized', 'refuses the user name or the password')
  const [content] = findElement(envelope, 'Body')?.children ?? []
  if (status !== 200 || content === undefined)
    throw new OnvifError(
      'malformed',
      status === 200 ? 'answers with something else than SOAP' : `answers with status ${status}`,
    )
  return content
}

const UNTRUSTED = /CERT|ERR_TLS|UNABLE_TO_/

const connectionError = (code: string): OnvifError =>
  UNTRUSTED.test(code)
    ? new OnvifError('unreachable', 'has a certificate that is not trusted', { detail: code })
    : new OnvifError('unreachable', 'does not answer', { detail: code })
