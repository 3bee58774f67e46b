import type { IncomingMessage } from 'node:http'
import { request, type RequestOptions } from 'node:https'
import type { Notification } from '../../domain/notifications/notification.ts'
import { describeError, SendError, type Channel } from '../channel.ts'
import { isPrivate, lookupPublic, refusePrivate } from './private-address.ts'
import { signatureOf } from './signature.ts'

type WebhookOptions = {
  name: string
  /** An HTTPS URL. It may have a secret, and is never shown. */
  url: string
  secret: string
  /** The authority of the receiver's certificate; left out: the public authorities. */
  ca?: string | undefined
  timeoutSeconds: number
  /** Whether the receiver may have a private address. */
  allowsPrivate: boolean
  now(): number
}

/** Posts messages as signed JSON. They are delivered with any status 2xx; redirects are not followed. */
export function webhookChannel(options: WebhookOptions): Channel {
  const { name, timeoutSeconds } = options
  return {
    name,

    async send(message, signal) {
      const late = AbortSignal.timeout(timeoutSeconds * 1000)
      try {
        const response = await post(options, message, AbortSignal.any([signal, late]))
        response.destroy()
        check(response, options.now())
      } catch (error) {
        if (error instanceof SendError) throw error
        signal.throwIfAborted()
        if (late.aborted) throw new SendError(`no response within ${timeoutSeconds} seconds`)
        throw new SendError(`the receiver cannot be reached: ${describeError(error)}`, {
          cause: error,
        })
      }
      return undefined
    },
  }
}

async function post(
  { url, secret, ca, allowsPrivate, now }: WebhookOptions,
  message: Notification,
  signal: AbortSignal,
): Promise<IncomingMessage> {
  if (!allowsPrivate && isPrivate(new URL(url).hostname)) throw refusePrivate()
  const body = JSON.stringify(message)
  const options: RequestOptions = {
    method: 'POST',
    agent: false,
    signal,
    headers: {
      'content-type': 'application/json; charset=utf-8',
      'content-length': Buffer.byteLength(body),
      'user-agent': 'Plumbline',
      'plumbline-message': message.id,
      'plumbline-signature': signatureOf(body, secret, Math.floor(now() / 1000)),
    },
    ...(ca === undefined ? {} : { ca }),
    ...(allowsPrivate ? {} : { lookup: lookupPublic }),
  }
  const sent = request(url, options)
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>()
  sent.once('response', resolve)
  sent.on('error', reject)
  sent.end(body)
  const response = await promise
  // Errors after the status do not matter.
  response.on('error', () => {})
  return response
}

/** The statuses that refuse the message; others are about the channel. */
const ABOUT_MESSAGE = new Set([400, 406, 409, 411, 412, 413, 414, 415, 416, 417, 422, 431])

function check({ statusCode = 0, headers }: IncomingMessage, now: number): void {
  if (statusCode >= 200 && statusCode < 300) return
  const isRedirect = statusCode >= 300 && statusCode < 400
  throw new SendError(
    `the receiver answered ${statusCode}${isRedirect ? ', and redirects are not followed' : ''}`,
    {
      isAboutMessage: ABOUT_MESSAGE.has(statusCode),
      retryAfter: readRetryAfter(headers['retry-after'], now),
    },
  )
}

/** Reads `Retry-After`: seconds, or a date. */
function readRetryAfter(text: string | undefined, now: number): number | undefined {
  if (text === undefined) return undefined
  if (/^\d+$/.test(text)) return Number(text) * 1000
  const date = Date.parse(text)
  return Number.isNaN(date) ? undefined : Math.max(0, date - now)
}
