import type { RevocationWatch } from './revocation-watch.ts'
import type { Throttle } from './throttle.ts'
import type { SecurityLog } from '../domain/access/security-log.ts'

/** The access control that the interface and the broker share. */
export type AccessControl = {
  security: SecurityLog
  /** Wrong access tokens, ingest keys and MQTT passwords. */
  throttle: Throttle
  revocations: RevocationWatch
}
