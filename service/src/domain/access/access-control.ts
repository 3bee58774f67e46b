import type { RevocationWatch } from './revocation-watch.ts'
import type { FailedAttempts } from './attempts.ts'
import type { SecurityLog } from './security-log.ts'

/** What all entrances share that check a secret. */
export type AccessControl = {
  security: SecurityLog
  /** Wrong access tokens, ingest keys and MQTT passwords. */
  attempts: FailedAttempts
  revocations: RevocationWatch
}
