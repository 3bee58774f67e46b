import type { DamageError } from '../errors/damage-error.ts'
import type { RefusedError } from '../errors/refused-error.ts'
import type { ApplicationStore, KeyStore, TokenStore } from './stores/access.ts'
import type { AlarmStore } from './stores/alarms.ts'
import type { ChangeStore } from './stores/changes.ts'
import type { ClockStore } from './stores/clock.ts'
import type { DeviceStore } from './stores/devices.ts'
import type { EarlyStore } from './stores/early.ts'
import type { PositionStore, RejectStore } from './stores/rejects.ts'
import type { LeaseStore } from './stores/leases.ts'
import type { MaintenanceStore } from './stores/maintenance.ts'
import type { ReadingStore } from './stores/readings.ts'
import type { DataStore } from './stores/records.ts'
import type { RetentionStore } from './stores/retention.ts'
import type { SealStore } from './stores/sealing.ts'
import type { SiteStore } from './stores/site.ts'
import type { NotificationStore } from './stores/notifications.ts'
import type { TrafficStore } from './stores/traffic.ts'
import type { VibrationStore } from './stores/vibration.ts'

export type * from './stores/access.ts'
export type * from './stores/alarms.ts'
export type * from './stores/changes.ts'
export type * from './stores/clock.ts'
export type * from './stores/devices.ts'
export type * from './stores/early.ts'
export type * from './stores/rejects.ts'
export type * from './stores/leases.ts'
export type * from './stores/maintenance.ts'
export type * from './stores/readings.ts'
export type * from './stores/records.ts'
export type * from './stores/retention.ts'
export type * from './stores/sealing.ts'
export type * from './stores/site.ts'
export type * from './stores/notifications.ts'
export type * from './stores/traffic.ts'
export type * from './stores/vibration.ts'

/** Why nothing can be read, and why nothing can be written; undefined where it can be. */
export type StorageState = {
  reading: RefusedError | undefined
  writing: RefusedError | DamageError | undefined
}

/** Sentences about damaged data, and about indexes and counts, which can be made again from data. */
export type Findings = { damaged: string[]; stale: string[] }

/**
 * Everything the service remembers.
 *
 * `sqlite/` opens it; `test/storage/_conformance.ts` states what every engine must agree on.
 * Instants are epoch milliseconds. A write resolves once it would survive a power cut.
 */
export interface Storage extends AsyncDisposable {
  readonly applications: ApplicationStore
  readonly tokens: TokenStore
  readonly keys: KeyStore
  readonly sites: SiteStore
  readonly data: DataStore
  readonly readings: ReadingStore
  readonly seals: SealStore
  readonly retention: RetentionStore
  readonly clock: ClockStore
  readonly traffic: TrafficStore
  readonly vibration: VibrationStore
  readonly alarms: AlarmStore
  readonly notifications: NotificationStore
  readonly maintenance: MaintenanceStore
  readonly devices: DeviceStore
  readonly early: EarlyStore
  readonly leases: LeaseStore
  readonly rejects: RejectStore
  readonly positions: PositionStore
  readonly changes: ChangeStore

  /** What keeps it from reading and from writing at the moment; writes nothing. */
  look(): StorageState

  /** Resolves while both reading and writing work; throws what is wrong otherwise. */
  check(): Promise<void>

  /** Looks through the database for damage; says in sentences what was found. */
  inspect(): Promise<Findings>

  /** Makes indexes and counts that do not agree with their rows again; returns how many. */
  rebuildIndexes(): Promise<number>
}
