import type { Config } from '../config/settings.ts'
import { RefusedError } from '../errors/refused-error.ts'
import { codeOf } from '../errors/thrown.ts'
import type { CertificateFiles } from '../http/security/certificate.ts'
import {
  describeCertificates,
  type CertificateDescription,
} from '../http/security/describe-certificate.ts'
import { renewAtOnce } from '../http/security/renew-certificate.ts'
import { findCertificate } from './open-certificate.ts'

type Place = { config: Config; dataFolder: string; now: number }

/** Describes the certificate in use, then the next one where there is one. */
export const showCertificates = ({
  config,
  dataFolder,
  now,
}: Place): Promise<CertificateDescription[]> => read(findCertificate(config, dataFolder), now)

/** Makes a new certificate of the service with the same key; a running service reads it by itself. */
export async function renewByHand({
  config,
  dataFolder,
  now,
}: Place): Promise<CertificateDescription[]> {
  const files = findCertificate(config, dataFolder)
  const [current] = await read(files, now)
  if (files.isOperators || current?.isOwn !== true)
    throw new RefusedError(
      'invalid',
      `The certificate ${files.certificate} is not one that Plumbline made: replace it and its key. A running service reads the new files.`,
    )
  await renewAtOnce(files, now)
  return read(files, now)
}

async function read(files: CertificateFiles, now: number): Promise<CertificateDescription[]> {
  try {
    return await describeCertificates(files, now)
  } catch (error) {
    const code = codeOf(error)
    if (code === 'ENOENT' && !files.isOperators)
      throw new RefusedError(
        'absent',
        `There is no certificate ${files.certificate}: the first start of the service makes it.`,
      )
    // Those of OpenSSL are about the content of the file.
    const why = code === undefined || code.startsWith('ERR_') ? 'it is not a PEM certificate' : code
    throw new RefusedError(
      'invalid',
      `The certificate ${files.certificate} cannot be read: ${why}.`,
    )
  }
}
