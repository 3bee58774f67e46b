import { mkdir, readFile, rename, stat } from 'node:fs/promises'
import { createPrivateKey, X509Certificate } from 'node:crypto'
import { dirname, join } from 'node:path'
import { createSecureContext } from 'node:tls'
import { RefusedError } from '../../errors/refused-error.ts'
import { codeOf, toError } from '../../errors/thrown.ts'
import { warnOfOpen, writePrivate } from '../../storage/private-files.ts'
import { lockFile } from '../../storage/sqlite/connection/serving-lock.ts'
import { makeCertificate, makeKey } from './make-certificate.ts'

/** An empty file. A lock on it is held by the start that makes the certificate. */
const LOCK = 'plumbline.lock-certificate'
const WAIT_MILLISECONDS = 10_000

export type CertificateFiles = {
  certificate: string
  key: string
  /** Set where `http.certificate` and `http.key` name the files; without it they are the service's own. */
  isOperators?: boolean
  /** Names besides those of the machine, of each certificate that the service makes. */
  names?: readonly string[]
}

export type Certificate = { cert: string; key: string }

/** The TLS options of all servers, at the start and after each renewal. */
export const secureContext = (certificate: Certificate) =>
  ({
    ...certificate,
    // Workers resume the TLS sessions of each other.
    sessionIdContext: 'plumbline',
    minVersion: 'TLSv1.2',
    // With TLS 1.2 only ciphers with forward secrecy and authenticated encryption.
    ciphers:
      'TLS_AES_128_GCM_SHA256:TLS_AES_256_GCM_SHA384:TLS_CHACHA20_POLY1305_SHA256:ECDHE+AESGCM:ECDHE+CHACHA20',
  }) as const

/** Where the service keeps the certificate that it makes. */
export function ownFiles(dataFolder: string, names: readonly string[]): CertificateFiles {
  const folder = join(dataFolder, 'tls')
  return { certificate: join(folder, 'certificate.pem'), key: join(folder, 'key.pem'), names }
}

/** Where the next certificate of the service lies until it is used. */
export const nextFileOf = ({ certificate }: CertificateFiles): string =>
  join(dirname(certificate), 'certificate-next.pem')

/** The operator's files, or the service's own in the data folder, which are made when missing. */
export async function ensureCertificate(
  dataFolder: string,
  own: CertificateFiles | undefined,
  now: number,
  names: readonly string[] = [],
): Promise<CertificateFiles> {
  if (own !== undefined) return own
  const files = ownFiles(dataFolder, names)
  if (await exists(files.key)) return files

  await mkdir(dirname(files.key), { recursive: true, mode: 0o700 })
  using lock = lockFile(dataFolder, LOCK, WAIT_MILLISECONDS, (one) => one.exec('begin exclusive'))
  if (lock === undefined)
    throw new RefusedError(
      'unavailable',
      `Another service has been making the certificate in ${dirname(files.key)} for ${WAIT_MILLISECONDS / 1000} s. Start again when it has started.`,
    )
  if (await exists(files.key)) return files

  const key = await makeKey()
  const cert = await makeCertificate(key, now, names)
  // The key is renamed last, so that an interrupted start makes both files again.
  await writePrivate(files.certificate, cert)
  await writePrivate(`${files.key}.new`, key)
  await rename(`${files.key}.new`, files.key)
  return files
}

/** Reads a certificate and its key; throws a `RefusedError` where TLS cannot use them. */
export async function readCertificate(files: CertificateFiles): Promise<Certificate> {
  const [cert, key] = await Promise.all([
    read(nameFile(files, 'certificate'), files.certificate),
    read(nameFile(files, 'key'), files.key),
  ])
  const certificate = { cert, key }
  try {
    createSecureContext(secureContext(certificate))
  } catch (error) {
    throw new RefusedError('invalid', whyUnusable(files, certificate, toError(error)))
  }
  return certificate
}

/** Warns of an operator's key that other users may read; those of the data folder are private. */
export async function warnOfOpenKey(
  { key, isOperators }: CertificateFiles,
  warn: (sentence: string) => void,
): Promise<void> {
  if (!isOperators) return
  const why = 'A user who reads it can impersonate this service'
  await warnOfOpen(key, { name: 'http.key: the file', why }, warn)
}

function whyUnusable(files: CertificateFiles, { cert, key }: Certificate, error: Error): string {
  const parsed = attempt(() => new X509Certificate(cert))
  const parsedKey = attempt(() => createPrivateKey(key))
  if (parsed === undefined)
    return `${nameFile(files, 'certificate')} is not a PEM certificate.${remedy(files)}`
  if (parsedKey === undefined)
    return `${nameFile(files, 'key')} is not a PEM private key without a passphrase.${remedy(files)}`
  if (!parsed.checkPrivateKey(parsedKey))
    return `${nameFile(files, 'key')} is not the key of ${nameFile(files, 'certificate')}.${remedy(files)}`
  return `${nameFile(files, 'certificate')} and its key cannot be used: ${error.message}.${remedy(files)}`
}

/** The name of a file in sentences, with its setting. */
const nameFile = (files: CertificateFiles, part: 'certificate' | 'key'): string =>
  files.isOperators ? `http.${part}: the file ${files[part]}` : `The file ${files[part]}`

const remedy = ({ certificate, isOperators }: CertificateFiles): string =>
  isOperators
    ? ''
    : ` Restore it from a backup, or delete the folder ${dirname(certificate)} to create a new one at the next start.`

function attempt<Result>(make: () => Result): Result | undefined {
  try {
    return make()
  } catch {
    return undefined
  }
}

/** A text that changes when one of the files changes. */
export async function certificateStamp(files: CertificateFiles): Promise<string> {
  const stats = await Promise.all([stat(files.certificate), stat(files.key)])
  return stats.map(({ mtimeMs, size }) => `${mtimeMs}/${size}`).join(' ')
}

const read = (name: string, file: string): Promise<string> =>
  readFile(file, 'utf8').catch((error) => {
    throw new RefusedError('invalid', `${name} cannot be read: ${codeOf(error)}.`)
  })

const exists = (file: string): Promise<boolean> =>
  stat(file).then(
    () => true,
    () => false,
  )
