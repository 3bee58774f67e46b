import type { AccessWatch } from './access-watch.ts'
import type { FailedAttempts } from './attempts.ts'
import type { SecurityLog } from './security-log.ts'

/** What everything that lets somebody in shares. */
export type Access = {
  security: SecurityLog
  /** Wrong access tokens, ingest keys and MQTT passwords. */
  attempts: FailedAttempts
  watch: AccessWatch
}
