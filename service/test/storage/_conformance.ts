import { describe } from 'node:test'
import { accountFacts, auditFacts } from './_accounts.ts'
import { alarmChangeFacts } from './_alarm-changes.ts'
import { alarmFacts } from './_alarms.ts'
import { applicationFacts } from './_applications.ts'
import { batchChangeFacts } from './_waveform-changes.ts'
import { changeFacts } from './_changes.ts'
import { changeRaceFacts } from './_change-races.ts'
import { concurrencyFacts } from './_concurrency.ts'
import { dataFacts } from './_records.ts'
import { deviceFacts } from './_devices.ts'
import { historyFacts } from './_histories.ts'
import { hourFacts } from './_hours.ts'
import { rejectFacts } from './_rejects.ts'
import { newPlace, type NewPlace, type OpenStorage } from './_place.ts'
import { openDayFacts } from './_open-days.ts'
import { readingFacts } from './_manual-readings.ts'
import { deletionFacts } from './_deletions.ts'
import { retentionBoundsFacts } from './_retention-bounds.ts'
import { retentionFacts } from './_retention.ts'
import { overviewFacts } from './_overview.ts'
import { rewritingFacts } from './_rewritings.ts'
import { siteFacts } from './_site-store.ts'
import { deliveryFacts } from './_deliveries.ts'
import { markFacts } from './_marks.ts'
import { maintenanceFacts } from './_maintenance.ts'
import { outboxFacts } from './_outbox.ts'
import { snapshotFacts } from './_snapshots.ts'
import { trafficFacts } from './_traffic.ts'
import { vibrationFacts } from './_waveforms.ts'

/** A noun of the port and what every engine must hold to. */
const FACTS: Readonly<Record<string, (newPlace: NewPlace) => void>> = {
  applications: applicationFacts,
  accounts: accountFacts,
  'audit log': auditFacts,
  sites: siteFacts,
  data: dataFacts,
  histories: historyFacts,
  'open days': openDayFacts,
  hours: hourFacts,
  readings: readingFacts,
  retention: retentionFacts,
  'retention bounds': retentionBoundsFacts,
  deletions: deletionFacts,
  traffic: trafficFacts,
  vibration: vibrationFacts,
  alarms: alarmFacts,
  'changes of alarms': alarmChangeFacts,
  overview: overviewFacts,
  outbox: outboxFacts,
  deliveries: deliveryFacts,
  'maintenance windows': maintenanceFacts,
  snapshots: snapshotFacts,
  devices: deviceFacts,
  ingest: rejectFacts,
  changes: changeFacts,
  'races of changes': changeRaceFacts,
  'changes of waveforms': batchChangeFacts,
  marks: markFacts,
  rewritings: rewritingFacts,
  concurrency: concurrencyFacts,
}

export const NOUNS = Object.keys(FACTS)

/** Everything `storage.ts` promises, of one engine, or what it promises of some nouns. */
export function describeStorage(
  name: string,
  open: OpenStorage,
  nouns: readonly string[] = NOUNS,
): void {
  for (const [noun, facts] of Object.entries(FACTS).filter(([one]) => nouns.includes(one)))
    describe(`${name}: ${noun}`, () => facts(() => newPlace(open)))
}
