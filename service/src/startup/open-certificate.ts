import type { Logger } from 'pino'
import type { ClockMonitor } from '../clock/clock-monitor.ts'
import type { Config } from '../config/settings.ts'
import { missingNames } from '../http/security/describe-certificate.ts'
import {
  ensureCertificate,
  ownFiles,
  readCertificate,
  type Certificate,
  type CertificateFiles,
} from '../http/security/certificate.ts'
import { renewByClock } from '../http/security/certificate-monitor.ts'

type CertificateOptions = {
  config: Config
  dataFolder: string
  clock: ClockMonitor
  log: Logger
  now(): number
}

/** Finds or makes the certificate of all servers, and renews it when that is due. */
export async function openCertificate({
  config,
  dataFolder,
  clock,
  log,
  now,
}: CertificateOptions): Promise<{ files: CertificateFiles; certificate: Certificate }> {
  const names = namesOf(config)
  const files = await ensureCertificate(dataFolder, operatorsFiles(config), now(), names)
  await renewByClock({ files, log, now, isClockConfirmed: () => clock.isConfirmed() })
  const certificate = await readCertificate(files)
  // Clients that trust a copy need time for a new one, so the operator says when it is made.
  const missing = files.isOperators ? [] : missingNames(certificate.cert, names)
  if (missing.length > 0)
    log.warn(
      `The certificate does not name ${missing.join(', ')}. Run "plumbline certificate renew" to make one that does.`,
    )
  return { files, certificate }
}

/** Where the certificate of a service with these settings is. */
export const findCertificate = (config: Config, dataFolder: string): CertificateFiles =>
  operatorsFiles(config) ?? ownFiles(dataFolder, namesOf(config))

/** The names of the settings, besides those of the machine. */
function namesOf(config: Config): string[] {
  const publicHost = URL.parse(config['http.publicUrl'])?.hostname.replace(/^\[|\]$/g, '')
  return [...config['http.certificateNames'], ...(publicHost === undefined ? [] : [publicHost])]
}

const operatorsFiles = (config: Config): CertificateFiles | undefined =>
  config['http.certificate'] === ''
    ? undefined
    : { certificate: config['http.certificate'], key: config['http.key'], isOperators: true }
