import { X509Certificate } from 'node:crypto'
import type { SecureContextOptions } from 'node:tls'
import type { Logger } from 'pino'
import { startJob } from '../../background/job.ts'
import {
  certificateStamp,
  readCertificate,
  secureContext,
  warnOfOpenKey,
  type CertificateFiles,
} from './certificate.ts'
import { isOurs, renewCertificate } from './renew-certificate.ts'

const DAY = 86_400_000
/** An operator's certificate is spoken of so long before its end. */
const WARNING_DAYS = 30

export type CertificateMonitor = AsyncDisposable & {
  /** When the certificate in use ends. */
  endsAt(): number
}

export type CertificateMonitorOptions = {
  files: CertificateFiles
  log: Logger
  now(): number
  /** Whether the clock agrees with its state so far. */
  isClockConfirmed(): boolean
  everyMilliseconds: number
  /** New connections get this one. */
  use(context: SecureContextOptions): void
}

/** Renews our own certificate, reads the files again when they change, and says when it ends. */
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
 * Renews our own certificate where that is due; while the clock is doubted it stays as it is, since
 * only a clock can tell.
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
    log.warn(`the certificate is not renewed: ${(error as Error).message}`)
  }
}

class CurrentCertificate {
  readonly #options: CertificateMonitorOptions
  /** The files whose certificate is in use. */
  #stamp = ''
  /** Why those of now are not. */
  #problem = ''
  #current: X509Certificate | undefined
  #loggedAt = -Infinity
  #logged = ''
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
    await this.#readAgain()
    this.#logEnd()
  }

  /** Tries again each time, since rights may have been mended; says each problem once. */
  async #readAgain(): Promise<void> {
    const { files, use, log } = this.#options
    try {
      const stamp = await certificateStamp(files)
      if (stamp !== this.#stamp) {
        const certificate = await readCertificate(files)
        use(secureContext(certificate))
        this.#take(certificate.cert)
        this.#stamp = stamp
        log.info('the certificate was read again')
        await warnOfOpenKey(files, (sentence) => log.warn(sentence))
      }
      this.#problem = ''
    } catch (error) {
      const { message } = error as Error
      if (message !== this.#problem) log.warn(`the certificate stays as it is: ${message}`)
      this.#problem = message
    }
  }

  #take(pem: string): void {
    this.#current = new X509Certificate(pem)
    this.endsAt = this.#current.validToDate.getTime()
    this.#loggedAt = -Infinity
  }

  /** Once a day, and at once when it has ended. */
  #logEnd(): void {
    const { log, now } = this.#options
    const end = this.#describeEnd()
    const since = Math.abs(now() - this.#loggedAt)
    if (end === undefined || (end.level === this.#logged && since < DAY)) return
    this.#logged = end.level
    this.#loggedAt = now()
    log[end.level](end.sentence)
  }

  #describeEnd(): { level: 'warn' | 'error'; sentence: string } | undefined {
    const { files, now, isClockConfirmed } = this.#options
    const left = this.endsAt - now()
    const isRenewed = !files.isOperators && isOurs(this.#current!)
    const day = new Date(this.endsAt).toISOString().slice(0, 10)
    if (isRenewed) {
      if (left > 0 || isClockConfirmed()) return undefined
      return {
        level: 'error',
        sentence: `The certificate ${files.certificate} has ended on ${day} by the clock, which is doubted. It is renewed once the clock is confirmed: set it, or "plumbline retention --confirm-clock".`,
      }
    }
    const remedy = 'Put a newer one and its key in place; they are read while the service runs.'
    if (left <= 0)
      return {
        level: 'error',
        sentence: `The certificate ${files.certificate} has ended on ${day}: clients refuse it. ${remedy}`,
      }
    if (left > WARNING_DAYS * DAY) return undefined
    return {
      level: 'warn',
      sentence: `The certificate ${files.certificate} ends on ${day}, in ${Math.ceil(left / DAY)} days. ${remedy}`,
    }
  }
}
