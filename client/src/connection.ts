import type { Operation } from '@plumbline/contract'
import type { Call, Wire } from './endpoint.ts'
import type { CallOptions, ConnectionOptions } from './options.ts'
import { toRequest } from './request.ts'
import { systemClock, withRetries, type Clock } from './retry.ts'
import { send } from './send.ts'
import { withTimes } from './times.ts'
import { withTimeout } from './timeout.ts'

/** The `Authorization` of requests, and what to do when the service refuses it. */
export type Authorization = {
  header(options: CallOptions): Promise<string | undefined>
  /** Whether there may be another header after a 401. */
  renew?(error: unknown, header: string | undefined): boolean
}

const RETRIES = 4

/** Makes calls below a base address of the service. */
export function createCall(
  options: ConnectionOptions,
  base: Operation['base'],
  authorization: Authorization,
  clock: Clock = systemClock,
): Call {
  const origin = readOrigin(options.baseUrl ?? '')
  const { fetch = globalThis.fetch, credentials, timeZone } = options

  return (wire, input, call) => {
    const request = toRequest(wire, withTimes(input, { timeZone, isIngest: base === '/ingest/v1' }))
    const retries = isRepeatable(wire) ? (call.retries ?? options.retries ?? RETRIES) : 0
    const url = `${origin}${base}${request.path}`
    const milliseconds = call.timeoutMilliseconds ?? options.timeoutMilliseconds
    return withTimeout(milliseconds, call.signal, ({ signal, deadline }) => {
      const attempt = async (mayRenew: boolean): Promise<unknown> => {
        const header = await authorization.header({ ...call, signal })
        try {
          return await withRetries(
            () => send(fetch, { request, url, authorization: header, credentials, signal }),
            { retries, signal, deadline, clock },
          )
        } catch (error) {
          if (authorization.renew?.(error, header) && mayRenew) return attempt(false)
          throw error
        }
      }
      return attempt(true)
    })
  }
}

const isRepeatable = (wire: Wire): boolean => wire.method === 'GET' || wire.isRepeatable === true

/** The address without a slash at its end, and without the base of an interface. */
const readOrigin = (baseUrl: string): string =>
  baseUrl.replace(/\/+$/, '').replace(/\/(api|ingest|manage)\/v1$/, '')
