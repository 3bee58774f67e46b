import { toError } from '../../errors/thrown.ts'
import { describeError, SendError } from '../channel.ts'

type MailServer = { host: string; port: number; tls: 'tls' | 'starttls' | 'off' }

/** What the library says of an error; `originalCode` is that of the system or of TLS. */
type MailErrorDetails = {
  code?: unknown
  originalCode?: unknown
  response?: unknown
  responseCode?: unknown
}

/**
 * Says why a mail was not sent. The server's response is shown only from a stage at which no password
 * was sent.
 */
export function mailError(error: unknown, server: MailServer): SendError {
  const details: Error & MailErrorDetails = toError(error)
  const { code, response, responseCode } = details
  if (code === 'EAUTH')
    return new SendError(`the server refuses user and password: ${String(responseCode ?? code)}`)
  if (code === 'EENVELOPE' || code === 'EMESSAGE') {
    const words = String(response ?? responseCode ?? code)
      .replaceAll(/\s+/g, ' ')
      .slice(0, 200)
    return new SendError(`the server refuses the mail: ${words}`, { isAboutMessage: true })
  }
  return new SendError(describeUnsent(error, details, server), { cause: error })
}

function describeUnsent(
  error: unknown,
  { code, originalCode, responseCode }: MailErrorDetails,
  { host, port, tls }: MailServer,
): string {
  const original = String(originalCode ?? '')
  if (code === 'EDNS') return `the name ${host} of the mail server is not known`
  if (code === 'ETLS')
    return tls === 'starttls' && responseCode !== undefined
      ? `the mail server ${host}:${port} does not offer STARTTLS: ${String(responseCode)}`
      : `the mail server ${host}:${port} could not begin TLS`
  if (original === 'ECONNREFUSED') return `nothing listens at ${host}:${port}, the mail server`
  if (CERTIFICATE.test(original))
    return `the certificate of the mail server ${host}:${port} is not trusted (${original}); set "ca"`
  if (original.startsWith('ERR_SSL_'))
    return `the mail server ${host}:${port} does not speak TLS there: ${original}`
  if (code === 'ETIMEDOUT') return `the mail server ${host}:${port} does not respond`
  const reason = responseCode ?? (original === '' ? describeError(error) : original)
  return `the mail server ${host}:${port} cannot be reached: ${String(reason)}`
}

const CERTIFICATE = /CERT|SELF_SIGNED|ALTNAME|UNABLE_TO_VERIFY/
