import type { FastifyRequest } from 'fastify'
import { RefusedError } from '../../errors/refused-error.ts'

/** What a request shows of the page that sent it. */
type RequestOrigin = Pick<FastifyRequest, 'method' | 'headers' | 'host'>

/**
 * Refuses a request that a page of another site has sent: browsers add the cookie to it by themselves.
 * With `needsProof` a request that changes something has to show that it comes from here.
 */
export function requireSameOrigin(
  { method, headers, host }: RequestOrigin,
  { publicUrl, needsProof }: { publicUrl: string; needsProof: boolean },
): void {
  const site = headers['sec-fetch-site']
  if (method === 'GET' || method === 'HEAD') {
    const isForeign = site === 'cross-site' || site === 'same-site'
    if (isForeign && headers['sec-fetch-mode'] !== 'navigate') throw refuse()
    return
  }
  if (site === 'same-origin') return
  if (site !== undefined) throw refuse()
  const { origin } = headers
  if (origin === undefined ? needsProof : !isOwn(origin, host, publicUrl)) throw refuse()
}

const isOwn = (origin: string, host: string, publicUrl: string): boolean =>
  origin === `https://${host}` || (publicUrl !== '' && origin === URL.parse(publicUrl)?.origin)

const refuse = (): RefusedError =>
  new RefusedError(
    'forbidden',
    'A request with the cookie of a session must come from a page of this service: this one has neither "Sec-Fetch-Site: same-origin" nor the address of the service as "Origin". Programs use an access token.',
  )
