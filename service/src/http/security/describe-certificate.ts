import { createHash, X509Certificate } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { parseCertificateName } from '../../domain/access/certificate-name.ts'
import { nextFileOf, type CertificateFiles } from './certificate.ts'
import { isOwn } from './renew-certificate.ts'

export type CertificateDescription = {
  file: string
  subject: string
  issuer: string
  /** Whether the service made it. */
  isOwn: boolean
  /** SHA-256 of the certificate, as browsers show it. */
  fingerprint: string
  /** SHA-256 of the public key, for `curl --pinnedpubkey`. A renewal keeps it. */
  pin: string
  names: string[]
  /** Epoch milliseconds. */
  validFrom: number
  validUntil: number
  daysLeft: number
}

const DAY = 86_400_000

/** Describes the certificate in a file; throws where that has none. */
export function describeCertificate(file: string, pem: string, now: number) {
  const certificate = new X509Certificate(pem)
  const { subject, issuer, fingerprint256: fingerprint, publicKey } = certificate
  const spki = publicKey.export({ format: 'der', type: 'spki' })
  const validUntil = certificate.validToDate.getTime()
  return {
    file,
    subject,
    issuer,
    isOwn: isOwn(certificate),
    fingerprint,
    pin: `sha256//${createHash('sha256').update(spki).digest('base64')}`,
    names: namesOf(certificate),
    validFrom: certificate.validFromDate.getTime(),
    validUntil,
    daysLeft: Math.floor((validUntil - now) / DAY),
  } satisfies CertificateDescription
}

/** Describes the certificate in use, and the next one where that lies beside it. */
export async function describeCertificates(
  files: CertificateFiles,
  now: number,
): Promise<CertificateDescription[]> {
  const current = await readFile(files.certificate, 'utf8')
  const nextFile = nextFileOf(files)
  const next = files.isOperators ? '' : await readFile(nextFile, 'utf8').catch(() => '')
  return [
    describeCertificate(files.certificate, current, now),
    ...(next === '' ? [] : [describeCertificate(nextFile, next, now)]),
  ]
}

/** The names of `further` that the certificate in a PEM text does not have. */
export function missingNames(pem: string, further: readonly string[]): string[] {
  const certificate = new X509Certificate(pem)
  const names = new Set(namesOf(certificate))
  return further.filter((text) => {
    const name = parseCertificateName(text)
    if (name === undefined) return false
    return name.type === 'ip'
      ? certificate.checkIP(name.value) === undefined
      : !names.has(name.value)
  })
}

/** The host names and addresses of a certificate; addresses in their short form. */
function namesOf({ subjectAltName = '' }: X509Certificate): string[] {
  return subjectAltName.split(', ').flatMap((entry) => {
    const [, kind, value = ''] = /^(DNS|IP Address):(.+)$/.exec(entry) ?? []
    if (kind === undefined) return []
    return [kind === 'DNS' ? value.toLowerCase() : shortAddress(value)]
  })
}

const shortAddress = (address: string): string =>
  address.includes(':')
    ? (URL.parse(`http://[${address}]/`)?.hostname.slice(1, -1) ?? address)
    : address
