import { X509Certificate } from 'node:crypto'
import type { SecureContextOptions } from 'node:tls'
import type { Logger } from 'pino'
import { startJob } from '../../background/job.ts'
import { toError } from '../../errors/thrown.ts'
import {
  certificateStamp,
  readCertificate,
  secureContext,
  warnOfOpenKey,
  type CertificateFiles,
} from './certificate.ts'
import { isOwn, renewCertificate } from './renew-certificate.ts'

const DAY = 86_400_000
/** The end of an operator's certificate is logged from this many days before. */
const WARNING_DAYS = 30

type CertificateMonitor = AsyncDisposable & {
  /** The end of the certificate in use, in milliseconds since 1970. */
  endsAt(): number
}

type CertificateMonitorOptions = {
  files: CertificateFiles
  log: Logger
  now(): number
  /** False while the clock is not trusted. */
  isClockConfirmed(): boolean
  everyMilliseconds: number
  /** Called with a new certificate for new connections. */
  use(context: SecureContextOptions): void
}

/** Renews the service's own certificate, reads changed files, and logs when a certificate ends. */
export async function monitorCertificate(
  options: CertificateMonitorOptions,
): Promise<CertificateMonitor> {
  const { log, everyMilliseconds } = options
  const current = new CurrentCertificate(options)
  await current.open()
  const job = startJob({
    name: 'Certificate monitoring',
    log,
    everyMilliseconds,
    run: () => current.check(),
  })
  return { endsAt: () => current.endsAt, [Symbol.asyncDispose]: () => job[Symbol.asyncDispose]() }
}

/**
 * Renews the service's own certificate when that is due, but not while the clock is not trusted.
 */
export async function renewByClock({
  files,
  log,
  now,
  isClockConfirmed,
}: Pick<CertificateMonitorOptions, 'files' | 'log' | 'now' | 'isClockConfirmed'>): Promise<void> {
  if (files.isOperators || !isClockConfirmed()) return
  try {
    const renewal = await renewCertificate(files, now())
    if (renewal !== undefined) log[renewal.isPlanned ? 'info' : 'warn'](renewal.sentence)
  } catch (error) {
    log.warn(`The certificate could not be renewed: ${toError(error).message}`)
  }
}

class CurrentCertificate {
  readonly #options: CertificateMonitorOptions
  /** The stamp of the files whose certificate is in use. */
  #stamp = ''
  /** Why changed files are not used; logged once. */
  #problem = ''
  #isOwn = false
  #loggedAt = -Infinity
  #loggedLevel = ''
  endsAt = NaN

  constructor(options: CertificateMonitorOptions) {
    this.#options = options
  }

  async open(): Promise<void> {
    const { files, log } = this.#options
    this.#stamp = await certificateStamp(files)
    this.#take((await readCertificate(files)).cert)
    await warnOfOpenKey(files, (sentence) => log.warn(sentence))
    this.#logEnd()
  }

  async check(): Promise<void> {
    await renewByClock(this.#options)
    await this.#readChangedFiles()
    this.#logEnd()
  }

  /** Tries at each check, since permissions may have changed; logs each problem once. */
  async #readChangedFiles(): Promise<void> {
    const { files, use, log } = this.#options
    try {
      const stamp = await certificateStamp(files)
      if (stamp !== this.#stamp) {
        const certificate = await readCertificate(files)
        use(secureContext(certificate))
        this.#take(certificate.cert)
        this.#stamp = stamp
        log.info('The certificate was read again.')
        await warnOfOpenKey(files, (sentence) => log.warn(sentence))
      }
      this.#problem = ''
    } catch (error) {
      const { message } = toError(error)
      if (message !== this.#problem) log.warn(`The certificate in use was not replaced: ${message}`)
      this.#problem = message
    }
  }

  #take(pem: string): void {
    const certificate = new X509Certificate(pem)
    this.#isOwn = !this.#options.files.isOperators && isOwn(certificate)
    this.endsAt = certificate.validToDate.getTime()
    this.#loggedAt = -Infinity
  }

  /** Logs the end once a day, and at once when the certificate has ended. */
  #logEnd(): void {
    const { log, now } = this.#options
    const end = this.#describeEnd()
    const since = Math.abs(now() - this.#loggedAt)
    if (end === undefined || (end.level === this.#loggedLevel && since < DAY)) return
    this.#loggedLevel = end.level
    this.#loggedAt = now()
    log[end.level](end.sentence)
  }

  #describeEnd(): { level: 'warn' | 'error'; sentence: string } | undefined {
    const { files, now, isClockConfirmed } = this.#options
    const left = this.endsAt - now()
    const day = new Date(this.endsAt).toISOString().slice(0, 10)
    if (this.#isOwn) {
      if (left > 0 || isClockConfirmed()) return undefined
      return {
        level: 'error',
        sentence: `The certificate ${files.certificate} ended on ${day} by the clock, which is not trusted. Set the clock or run "plumbline retention --confirm-clock"; the certificate is then renewed.`,
      }
    }
    const remedy = 'Replace the certificate and its key; the running service reads the new files.'
    if (left <= 0)
      return {
        level: 'error',
        sentence: `The certificate ${files.certificate} ended on ${day}: clients refuse it. ${remedy}`,
      }
    if (left > WARNING_DAYS * DAY) return undefined
    return {
      level: 'warn',
      sentence: `The certificate ${files.certificate} ends on ${day}, in ${Math.ceil(left / DAY)} days. ${remedy}`,
    }
  }
}
