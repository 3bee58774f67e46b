import type { ConflictReason } from '../errors/conflict-error.ts'
import type { DamageError } from '../errors/damage-error.ts'
import type { RefusedError } from '../errors/refused-error.ts'
import type { CopySide } from './sql/copy/copy-side.ts'
import type { AccountStore } from './stores/accounts.ts'
import type { AlarmStore } from './stores/alarms.ts'
import type { ApplicationStore } from './stores/applications.ts'
import type { AuditStore } from './stores/audit.ts'
import type { ChangeStore } from './stores/changes.ts'
import type { ClockStore } from './stores/clock.ts'
import type { DeliveryStore } from './stores/deliveries.ts'
import type { DeviceStore } from './stores/devices.ts'
import type { EarlyRecordStore } from './stores/early-records.ts'
import type { EventStore } from './stores/events.ts'
import type { IngestKeyStore } from './stores/ingest-keys.ts'
import type { LeaseStore } from './stores/leases.ts'
import type { MaintenanceStore } from './stores/maintenance.ts'
import type { ManualReadingStore } from './stores/manual-readings.ts'
import type { OutboxStore } from './stores/outbox.ts'
import type { PortraitStore } from './stores/portraits.ts'
import type { PositionStore } from './stores/positions.ts'
import type { RecordStore } from './stores/records.ts'
import type { RejectStore } from './stores/rejects.ts'
import type { RetentionStore } from './stores/retention.ts'
import type { SealedDayStore } from './stores/sealed-days.ts'
import type { SessionStore } from './stores/sessions.ts'
import type { ShelvingStore } from './stores/shelvings.ts'
import type { SiteStore } from './stores/site.ts'
import type { SnapshotStore } from './stores/snapshots.ts'
import type { TokenStore } from './stores/tokens.ts'
import type { TrafficStore } from './stores/traffic.ts'
import type { WaveformStore } from './stores/waveforms.ts'

export type * from './stores/accounts.ts'
export type * from './stores/alarms.ts'
export type * from './stores/applications.ts'
export type * from './stores/audit.ts'
export type * from './stores/changes.ts'
export type * from './stores/clock.ts'
export type * from './stores/deliveries.ts'
export type * from './stores/devices.ts'
export type * from './stores/early-records.ts'
export type * from './stores/events.ts'
export type * from './stores/ingest-keys.ts'
export type * from './stores/leases.ts'
export type * from './stores/maintenance.ts'
export type * from './stores/manual-readings.ts'
export type * from './stores/outbox.ts'
export type * from './stores/portraits.ts'
export type * from './stores/positions.ts'
export type * from './stores/records.ts'
export type * from './stores/rejects.ts'
export type * from './stores/retention.ts'
export type * from './stores/sealed-days.ts'
export type * from './stores/sessions.ts'
export type * from './stores/shelvings.ts'
export type * from './stores/site.ts'
export type * from './stores/snapshots.ts'
export type * from './stores/tokens.ts'
export type * from './stores/traffic.ts'
export type * from './stores/waveforms.ts'

/** Why nothing can be read, and why nothing can be written; undefined while it is possible. */
export type StorageState = {
  reading: RefusedError | undefined
  writing: RefusedError | DamageError | undefined
}

/** Sentences about damaged data, and about stale indexes and counts, which can be rebuilt from data. */
type Findings = { damaged: string[]; stale: string[] }

/**
 * All data of the service.
 *
 * `sqlite/` opens it; `test/storage/_conformance.ts` has the tests that every engine must pass.
 * Instants are epoch milliseconds. A write resolves once it would survive a power cut.
 */
export interface Storage extends AsyncDisposable {
  readonly applications: ApplicationStore
  readonly tokens: TokenStore
  readonly ingestKeys: IngestKeyStore
  readonly accounts: AccountStore
  readonly sessions: SessionStore
  readonly audit: AuditStore
  readonly site: SiteStore
  readonly records: RecordStore
  readonly manualReadings: ManualReadingStore
  readonly sealedDays: SealedDayStore
  readonly retention: RetentionStore
  readonly clock: ClockStore
  readonly traffic: TrafficStore
  readonly waveforms: WaveformStore
  readonly alarms: AlarmStore
  readonly outbox: OutboxStore
  readonly deliveries: DeliveryStore
  readonly maintenance: MaintenanceStore
  readonly snapshots: SnapshotStore
  readonly events: EventStore
  readonly shelvings: ShelvingStore
  readonly portraits: PortraitStore
  readonly devices: DeviceStore
  readonly earlyRecords: EarlyRecordStore
  readonly leases: LeaseStore
  readonly rejects: RejectStore
  readonly positions: PositionStore
  readonly changes: ChangeStore
  /** The tables, for `plumbline storage copy`. */
  readonly copying: CopySide

  /** Whether reads and writes are possible at the moment; writes nothing. */
  state(): StorageState

  /**
   * Keeps every other program from opening the data until it is disposed of; refuses while one has it
   * open.
   */
  takeAlone(): Promise<AsyncDisposable>

  /** Optional migrations that the open database has not taken yet. */
  countPendingMigrations(): number

  /** The bytes of the database file and of its log. */
  measureFiles(): { database: number; log: number }

  /**
   * How many writes were refused since another writer had changed what they were computed from, by what
   * was changed.
   */
  countConflicts(): ReadonlyMap<ConflictReason, number>

  /** Writes and reads; throws the error where either fails. */
  check(): Promise<void>

  /** Checks the whole database for damage. */
  inspect(): Promise<Findings>

  /** Rebuilds indexes and counts that do not agree with their rows; returns how many. */
  rebuildIndexes(): Promise<number>
}
