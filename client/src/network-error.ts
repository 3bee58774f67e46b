import { PlumblineError } from './plumbline-error.ts'

const UNTRUSTED = new Set([
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
])

/** The error of a request without a whole response, with the reason that the runtime gives. */
export function toNetworkError(url: string, error: unknown): PlumblineError {
  const reason = reasonOf(error)
  const advice = UNTRUSTED.has(reason.code)
    ? ' In Node, trust the certificate with NODE_EXTRA_CA_CERTS=cert.pem.'
    : ''
  return new PlumblineError({
    name: 'NetworkError',
    kind: 'network',
    message: `${originOf(url)} sent no whole response: ${reason.message}.${advice}`,
    cause: error,
  })
}

/** Without path and query: what is asked is no matter of who reads an error. */
const originOf = (url: string): string => (URL.canParse(url) ? new URL(url).origin : 'The service')

/** Node says `fetch failed`, and why in the cause. */
function reasonOf(error: unknown): { code: string; message: string } {
  const inner = error instanceof Error && error.cause instanceof Error ? error.cause : error
  if (!(inner instanceof Error)) return { code: '', message: String(inner) }
  const code = 'code' in inner ? String(inner.code) : ''
  return { code, message: inner.message.replace(/\.$/, '') || code }
}
