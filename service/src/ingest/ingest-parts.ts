import type { RecordCommits } from '../commit/record-commits.ts'
import type { SerialQueue } from '../concurrency/serial-queue.ts'
import type { StationDerivation } from '../derivation/station-derivation.ts'
import type { KeyTargets } from '../domain/access/key-targets.ts'
import type { CurrentCatalogue } from '../storage/current-catalogue.ts'
import type { Storage } from '../storage/storage.ts'
import type { Backfill } from './records/backfill.ts'
import type { EarlySources } from './records/early-sources.ts'
import type { IngestClock } from './records/ingest-clock.ts'
import type { FrequencyTracker } from './waveforms/frequency-tracker.ts'
import type { WaveformBodyReader } from './waveforms/waveform-body-reader.ts'

/** The parts of ingest; each function names those that it needs. */
export type IngestParts = Readonly<{
  catalogue: CurrentCatalogue
  clock: IngestClock
  commits: RecordCommits
  derivation: StationDerivation
  /** Stores live records before backfill. */
  backfill: Backfill
  /** Notes the sources whose clock is ahead; left out: none are noted. */
  early?: EarlySources | undefined
  storage: Pick<
    Storage,
    'records' | 'traffic' | 'waveforms' | 'devices' | 'changes' | 'manualReadings'
  >
  /** Stores manual readings one after the other: one that is sent twice at once is found. */
  readings: SerialQueue
  reader: WaveformBodyReader
  /** What the sender of the records may write to; left out: everything. */
  targets?: KeyTargets | undefined
  tracker: FrequencyTracker
}>
