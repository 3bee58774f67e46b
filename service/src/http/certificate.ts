import { webcrypto } from 'node:crypto'
import { chmod, mkdir, readFile, rename, stat, writeFile } from 'node:fs/promises'
import { hostname } from 'node:os'
import { join } from 'node:path'
import { RefusedError } from '../domain/refused-error.ts'

export type CertificateFiles = { certificate: string; key: string }
export type Certificate = { cert: string; key: string }

const YEARS = 10

/** What TLS is spoken with a certificate, at the start and after each renewal. */
export const secureContext = (certificate: Certificate) =>
  ({
    ...certificate,
    minVersion: 'TLSv1.2',
    // With TLS 1.2 only what has forward secrecy and authenticates what it encrypts.
    ciphers:
      'TLS_AES_128_GCM_SHA256:TLS_AES_256_GCM_SHA384:TLS_CHACHA20_POLY1305_SHA256:ECDHE+AESGCM:ECDHE+CHACHA20',
  }) as const

/** The operator's files, or our own in the data folder, made when they are missing. */
export async function ensureCertificate(
  dataFolder: string,
  own: CertificateFiles | undefined,
  now: number,
): Promise<CertificateFiles> {
  if (own !== undefined) return own
  const folder = join(dataFolder, 'tls')
  const files = { certificate: join(folder, 'certificate.pem'), key: join(folder, 'key.pem') }
  if (await exists(files.key)) return files

  const { cert, key } = await makeCertificate(now)
  await mkdir(folder, { recursive: true, mode: 0o700 })
  // The key comes last and by a rename: a start that was cut short begins anew.
  await writeFile(files.certificate, cert, { flush: true })
  await writeFile(`${files.key}.new`, key, { mode: 0o600, flush: true })
  await chmod(`${files.key}.new`, 0o600)
  await rename(`${files.key}.new`, files.key)
  return files
}

export async function readCertificate(files: CertificateFiles): Promise<Certificate> {
  const [cert, key] = await Promise.all([read(files.certificate), read(files.key)])
  return { cert, key }
}

/** Changes when one of the files does. */
export async function certificateStamp(files: CertificateFiles): Promise<string> {
  const stats = await Promise.all([stat(files.certificate), stat(files.key)])
  return stats.map(({ mtimeMs, size }) => `${mtimeMs}/${size}`).join(' ')
}

const read = (file: string): Promise<string> =>
  readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    throw new RefusedError('invalid', `The certificate file ${file} cannot be read: ${error.code}.`)
  })

const exists = (file: string): Promise<boolean> =>
  stat(file).then(
    () => true,
    () => false,
  )

/** Self-signed, for this machine's names; the library is loaded on the first start only. */
async function makeCertificate(now: number): Promise<Certificate> {
  await import('reflect-metadata')
  const x509 = await import('@peculiar/x509')
  const algorithm = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' }
  const keys = (await webcrypto.subtle.generateKey(algorithm, true, [
    'sign',
    'verify',
  ])) as webcrypto.CryptoKeyPair
  const notAfter = new Date(now)
  notAfter.setUTCFullYear(notAfter.getUTCFullYear() + YEARS)
  const certificate = await x509.X509CertificateGenerator.createSelfSigned({
    name: 'CN=Plumbline',
    keys,
    signingAlgorithm: algorithm,
    notBefore: new Date(now - 86_400_000),
    notAfter,
    extensions: [
      new x509.BasicConstraintsExtension(true, 0, true),
      new x509.KeyUsagesExtension(
        x509.KeyUsageFlags.digitalSignature | x509.KeyUsageFlags.keyCertSign,
        true,
      ),
      new x509.ExtendedKeyUsageExtension(['1.3.6.1.5.5.7.3.1']),
      new x509.SubjectAlternativeNameExtension([
        { type: 'dns', value: 'localhost' },
        { type: 'ip', value: '127.0.0.1' },
        { type: 'ip', value: '::1' },
        ...(/^[a-z0-9.-]+$/i.test(hostname()) ? [{ type: 'dns' as const, value: hostname() }] : []),
      ]),
      await x509.SubjectKeyIdentifierExtension.create(keys.publicKey),
    ],
  })
  const pkcs8 = await webcrypto.subtle.exportKey('pkcs8', keys.privateKey)
  return {
    cert: certificate.toString('pem'),
    key: x509.PemConverter.encode(pkcs8, 'PRIVATE KEY'),
  }
}
