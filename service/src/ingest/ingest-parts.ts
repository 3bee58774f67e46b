import type { RecordCommits } from '../commit/record-commits.ts'
import type { UnitOfWork } from '../commit/unit-of-work.ts'
import type { StationDerivation } from '../derivation/station-derivation.ts'
import type { CurrentCatalogue } from '../storage/current-catalogue.ts'
import type { Storage } from '../storage/storage.ts'
import type { Backfill } from './records/backfill.ts'
import type { EarlySources } from './records/early-sources.ts'
import type { IngestClock } from './records/ingest-clock.ts'
import type { FrequencyTracker } from './waveforms/frequency-tracker.ts'
import type { WaveformReader } from './waveforms/waveform-reader.ts'

/** What ingest is made of; each function names the parts that it needs. */
export type IngestParts = Readonly<{
  catalogue: CurrentCatalogue
  clock: IngestClock
  commits: RecordCommits
  derivation: StationDerivation
  /** Lets live records go before backfill. */
  backfill: Backfill
  /** Notes which sources have a clock that is ahead; left out: nothing is noted. */
  early?: EarlySources | undefined
  storage: Pick<Storage, 'records' | 'traffic' | 'waveforms' | 'devices'>
  reader: WaveformReader
  tracker: FrequencyTracker
}>

/** The change that records are part of, and how far their source has been read. */
export type RecordOptions = Pick<UnitOfWork, 'change' | 'position'>
