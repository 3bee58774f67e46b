import type { RevocationWatch } from './revocation-watch.ts'
import type { FailedAttempts } from './failed-attempts.ts'
import type { SecurityLog } from '../domain/access/security-log.ts'

/** The access control that the interface and the broker share. */
export type AccessControl = {
  security: SecurityLog
  /** Wrong access tokens, ingest keys and MQTT passwords. */
  attempts: FailedAttempts
  revocations: RevocationWatch
}
