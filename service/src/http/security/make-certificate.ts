import { createPrivateKey, createPublicKey, webcrypto } from 'node:crypto'
import { certificateNames } from './machine-names.ts'

/** Some browsers refuse more than 825 days. */
const DAYS = 730
const DAY = 86_400_000
/** A certificate is valid from this long before it is made, since clocks may be behind. */
export const CLOCK_MARGIN = 7 * DAY
const ALGORITHM = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' }

/** Subject and issuer of the service's own certificates. */
export const OWN_NAME = 'CN=Plumbline'

/** A new private key, as PEM. */
export async function makeKey(): Promise<string> {
  const { privateKey } = await webcrypto.subtle.generateKey(ALGORITHM, true, ['sign', 'verify'])
  const pkcs8 = await webcrypto.subtle.exportKey('pkcs8', privateKey)
  return createPrivateKey({ key: Buffer.from(pkcs8), format: 'der', type: 'pkcs8' })
    .export({ format: 'pem', type: 'pkcs8' })
    .toString()
}

/**
 * Makes a self-signed certificate for the names of this machine and `names`, as PEM, which cannot
 * sign others.
 *
 * Loads the library only here, since few starts make a certificate.
 */
export async function makeCertificate(
  key: string,
  now: number,
  names: readonly string[],
): Promise<string> {
  await import('reflect-metadata')
  const x509 = await import('@peculiar/x509')
  const keys = await importKeys(key)
  const certificate = await x509.X509CertificateGenerator.createSelfSigned({
    name: OWN_NAME,
    keys,
    signingAlgorithm: ALGORITHM,
    notBefore: new Date(now - CLOCK_MARGIN),
    notAfter: new Date(now + DAYS * DAY),
    extensions: [
      new x509.BasicConstraintsExtension(false, undefined, true),
      new x509.KeyUsagesExtension(x509.KeyUsageFlags.digitalSignature, true),
      new x509.ExtendedKeyUsageExtension(['1.3.6.1.5.5.7.3.1']),
      new x509.SubjectAlternativeNameExtension(certificateNames(names)),
      await x509.SubjectKeyIdentifierExtension.create(keys.publicKey),
    ],
  })
  return certificate.toString('pem')
}

async function importKeys(pem: string): Promise<webcrypto.CryptoKeyPair> {
  const key = createPrivateKey(pem)
  const pkcs8 = key.export({ format: 'der', type: 'pkcs8' })
  const spki = createPublicKey(key).export({ format: 'der', type: 'spki' })
  const { subtle } = webcrypto
  return {
    privateKey: await subtle.importKey('pkcs8', pkcs8, ALGORITHM, false, ['sign']),
    publicKey: await subtle.importKey('spki', spki, ALGORITHM, true, ['verify']),
  }
}
