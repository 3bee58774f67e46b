import type { Logger } from 'pino'
import type { ClockMonitor } from '../clock/clock-monitor.ts'
import type { Config } from '../config/settings.ts'
import {
  ensureCertificate,
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
  const files = await ensureCertificate(dataFolder, operatorsFiles(config), now())
  await renewByClock({ files, log, now, isClockConfirmed: () => clock.isConfirmed() })
  return { files, certificate: await readCertificate(files) }
}

const operatorsFiles = (config: Config): CertificateFiles | undefined =>
  config['http.certificate'] === ''
    ? undefined
    : { certificate: config['http.certificate'], key: config['http.key'], isOperators: true }
