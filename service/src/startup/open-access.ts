import type { Logger } from 'pino'
import { startJob } from '../background/job.ts'
import type { Config } from '../config/settings.ts'
import type { AccessControl } from '../access/access-control.ts'
import { Throttle } from '../access/throttle.ts'
import { RevocationWatch } from '../access/revocation-watch.ts'
import { SecurityLog } from '../domain/access/security-log.ts'

const SUMMARY_MILLISECONDS = 5000

type AccessOptions = { config: Config; log: Logger; now(): number }

type OpenedAccess = AccessControl & AsyncDisposable & { security: SecurityLog }

/** Opens access control; at the end it logs the security events that were only counted. */
export function openAccess({ config, log, now }: AccessOptions): OpenedAccess {
  const security = new SecurityLog({
    log,
    linesPerMinute: config['log.securityLinesPerMinute'],
    now,
  })
  const throttle = new Throttle({
    failuresPerMinute: config['access.failuresPerMinute'],
    now,
  })
  const stack = new AsyncDisposableStack()
  stack.defer(() => security.summarize(true))
  const revocations = stack.use(new RevocationWatch())
  stack.use(
    startJob({
      name: 'Security log',
      log,
      everyMilliseconds: SUMMARY_MILLISECONDS,
      run: async () => security.summarize(),
    }),
  )
  return { security, throttle, revocations, [Symbol.asyncDispose]: () => stack.disposeAsync() }
}
