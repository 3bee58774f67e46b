import type { Logger } from 'pino'
import type { Config } from '../config/settings.ts'
import type { AccessControl } from '../domain/access/access-control.ts'
import { RevocationWatch } from '../domain/access/revocation-watch.ts'
import { FailedAttempts } from '../domain/access/attempts.ts'
import { SecurityLog } from '../domain/access/security-log.ts'

const SUMMARY_MILLISECONDS = 5000

/** Opens what all ways in share; security events that were only counted are logged at the end. */
export function openAccess({
  config,
  log,
  now,
}: {
  config: Config
  log: Logger
  now(): number
}): AccessControl & Disposable {
  const linesPerMinute = config['log.securityLinesPerMinute']
  const security = new SecurityLog({ log, linesPerMinute, now })
  const attempts = new FailedAttempts({
    failuresPerMinute: config['access.failuresPerMinute'],
    now,
  })
  const revocations = new RevocationWatch()
  const timer = setInterval(() => security.summarize(), SUMMARY_MILLISECONDS).unref()
  return {
    security,
    attempts,
    revocations,
    [Symbol.dispose]() {
      clearInterval(timer)
      revocations[Symbol.dispose]()
      security.summarize(true)
    },
  }
}
