import type { AccessTables } from './tables/access.ts'
import type { AccountTables } from './tables/accounts.ts'
import type { AlarmTables } from './tables/alarms.ts'
import type { BackgroundTables } from './tables/background.ts'
import type { ChangeTables } from './tables/changes.ts'
import type { ConsoleTables } from './tables/console.ts'
import type { DeviceTables } from './tables/devices.ts'
import type { IntegrityTables } from './tables/integrity.ts'
import type { NotificationTables } from './tables/notifications.ts'
import type { RecordTables } from './tables/records.ts'
import type { RejectTables } from './tables/rejects.ts'
import type { SealedDayTables } from './tables/sealed-days.ts'
import type { SiteTables } from './tables/site.ts'
import type { SnapshotTables } from './tables/snapshots.ts'
import type { TrafficTables } from './tables/traffic.ts'
import type { WaveformTables } from './tables/waveforms.ts'

/** The types of all tables for Kysely; `migrations/` creates them. */
export type Tables = AccessTables &
  AccountTables &
  AlarmTables &
  BackgroundTables &
  ChangeTables &
  ConsoleTables &
  DeviceTables &
  IntegrityTables &
  NotificationTables &
  RecordTables &
  RejectTables &
  SealedDayTables &
  SiteTables &
  SnapshotTables &
  TrafficTables &
  WaveformTables
