import { randomInt } from 'node:crypto'
import type { SealedDayStore } from '../stores/sealed-days.ts'
import type { Storage } from '../storage.ts'
import { accountStore } from './accounts.ts'
import { alarmLists } from './alarm-lists/alarm-lists.ts'
import { alarmStore } from './alarms.ts'
import { applicationStore } from './applications.ts'
import { auditStore } from './audit.ts'
import { clockStore } from './clock.ts'
import { countConflicts } from './count-conflicts.ts'
import { copySide, type CopyDialect } from './copy/copy-side.ts'
import { deliveryStore } from './deliveries.ts'
import { deviceStore } from './devices.ts'
import type { SqlEngine } from './engine.ts'
import { eventStore } from './events.ts'
import { ingestKeyStore } from './ingest-keys.ts'
import { leaseStore } from './leases.ts'
import { maintenanceStore } from './maintenance.ts'
import { manualReadingStore } from './manual-readings.ts'
import { OpenDays } from './open-days/open-days.ts'
import { outboxStore } from './outbox.ts'
import { portraitStore } from './portraits.ts'
import { positionStore } from './positions.ts'
import { changeStore } from './records/changes.ts'
import { Corrections } from './records/corrections.ts'
import { earlyRecordStore } from './records/early-records.ts'
import { recordStore } from './records/records.ts'
import { retentionStore } from './records/retention.ts'
import { trafficStore } from './records/traffic.ts'
import { writeRecords } from './records/write-records.ts'
import { rejectStore } from './rejects.ts'
import type { SealPreparation, SealRequest } from './sealed-days/seal-preparation.ts'
import { SealedEnds } from './sealed-days/sealed-ends.ts'
import { sealedDayStore } from './sealed-days/sealed-days.ts'
import { sessionStore } from './sessions.ts'
import { shelvingStore } from './shelvings.ts'
import { siteStore } from './site.ts'
import { snapshotStore } from './snapshots.ts'
import { tokenStore } from './tokens.ts'
import { waveformStore } from './waveforms.ts'

/** What each engine does in its own way about sealed days, and about copying. */
type EngineParts = {
  copying: CopyDialect
  prepareSeal(request: SealRequest): Promise<SealPreparation>
  reclaimSpace: SealedDayStore['reclaimSpace']
  /** The most memory for compressed hours of open days, in bytes; 0: none are kept. */
  openDayBytes?: number | undefined
}

/** The stores, one for each noun. */
type Stores = Omit<
  Storage,
  | 'state'
  | 'takeAlone'
  | 'countPendingMigrations'
  | 'measureFiles'
  | 'check'
  | 'inspect'
  | 'rebuildIndexes'
  | typeof Symbol.asyncDispose
>

/** The stores of an engine. `drain` resolves when every write that has begun has ended. */
export function openStores(
  bare: SqlEngine,
  { prepareSeal, reclaimSpace, copying, openDayBytes = 0 }: EngineParts,
): { stores: Stores; drain(): Promise<void> } {
  const { engine, conflicts } = countConflicts(bare)
  const sealedEnds = new SealedEnds(engine)
  const records = {
    corrections: new Corrections(engine, sealedEnds),
    writer: engine,
    number: randomInt(1, 2 ** 47),
  }
  const openDays = new OpenDays(openDayBytes)
  const stores: Stores = {
    countConflicts: () => conflicts,
    applications: applicationStore(engine),
    tokens: tokenStore(engine),
    ingestKeys: ingestKeyStore(engine),
    accounts: accountStore(engine),
    sessions: sessionStore(engine),
    audit: auditStore(engine),
    site: siteStore(engine),
    records: recordStore(engine, records, openDays),
    manualReadings: manualReadingStore(engine),
    sealedDays: sealedDayStore({ engine, prepare: prepareSeal, reclaimSpace, sealedEnds }),
    retention: retentionStore(engine),
    clock: clockStore(engine),
    traffic: trafficStore(engine),
    waveforms: waveformStore({
      ...engine,
      // One attempt: after a conflict the caller finds the seconds of the waveforms again.
      async writeTheme({ deletions, marks, expected, ...theme }, options, statements) {
        const extra = { statements, attempts: 1 }
        await writeRecords(
          records,
          { theme },
          {
            ...options,
            deletions: { theme: deletions },
            ...(marks && { marks: { theme: marks } }),
            ...(expected && { expected: { theme: expected } }),
          },
          extra,
        )
      },
    }),
    alarms: alarmStore(engine, alarmLists(engine)),
    outbox: outboxStore(engine),
    deliveries: deliveryStore(engine),
    maintenance: maintenanceStore(engine),
    snapshots: snapshotStore(engine),
    events: eventStore(engine),
    shelvings: shelvingStore(engine),
    portraits: portraitStore(engine),
    devices: deviceStore(engine),
    earlyRecords: earlyRecordStore(engine),
    leases: leaseStore(engine),
    rejects: rejectStore(engine),
    positions: positionStore(engine),
    copying: copySide(engine, copying),
    changes: changeStore(engine, (...write) => writeRecords(records, ...write)),
  }
  return {
    stores,
    async drain() {
      await records.corrections.drain()
      openDays[Symbol.dispose]()
    },
  }
}
