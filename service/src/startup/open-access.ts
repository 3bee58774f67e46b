import type { Logger } from 'pino'
import type { Config } from '../config/settings.ts'
import type { Access } from '../domain/access/access.ts'
import { AccessWatch } from '../domain/access/access-watch.ts'
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
}): Access & Disposable {
  const linesPerMinute = config['log.securityLinesPerMinute']
  const security = new SecurityLog({ log, linesPerMinute, now })
  const attempts = new FailedAttempts({
    failuresPerMinute: config['access.failuresPerMinute'],
    now,
  })
  const watch = new AccessWatch()
  const timer = setInterval(() => security.summarize(), SUMMARY_MILLISECONDS).unref()
  return {
    security,
    attempts,
    watch,
    [Symbol.dispose]() {
      clearInterval(timer)
      watch[Symbol.dispose]()
      security.summarize(true)
    },
  }
}
