import type { RevocationWatch } from './revocation-watch.ts'
import type { Throttle } from './throttle.ts'
import type { SecurityLog } from '../domain/access/security-log.ts'

/** The access control that the interface and the broker share. */
export type AccessControl = {
  security: Pick<SecurityLog, 'record'>
  /** Wrong access tokens, ingest keys and MQTT passwords. */
  throttle: Pick<Throttle, 'fail'>
  revocations: RevocationWatch
}
