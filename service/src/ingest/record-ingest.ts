import type { IngestReport, ReadingReport } from '@plumbline/contract'
import { dryCommits, storingCommits, type RecordCommits } from '../commit/record-commits.ts'
import { SerialQueue } from '../concurrency/serial-queue.ts'
import { StationDerivation } from '../derivation/station-derivation.ts'
import type { KeyTargets } from '../domain/access/key-targets.ts'
import { openCatalogue, type CurrentCatalogue } from '../storage/current-catalogue.ts'
import type { Storage } from '../storage/storage.ts'
import type { IngestParts } from './ingest-parts.ts'
import type { RecordOptions } from './records/record-options.ts'
import { Backfill } from './records/backfill.ts'
import type { EarlySources } from './records/early-sources.ts'
import { ingestHeartbeats } from './records/heartbeats.ts'
import { IngestClock } from './records/ingest-clock.ts'
import { ingestRaw } from './records/ingest-raw.ts'
import {
  ingestReadings,
  type EnteredReading,
  type ReadingAuthor,
} from './records/ingest-readings.ts'
import { ingestTheme } from './records/ingest-theme.ts'
import { ingestTraffic } from './records/ingest-traffic.ts'
import { FrequencyTracker } from './waveforms/frequency-tracker.ts'
import { ingestVibration } from './waveforms/ingest-vibration.ts'
import {
  ingestWaveforms,
  type StoredWaveforms,
  type WaveformFileOptions,
} from './waveforms/ingest-waveforms.ts'
import type { WaveformFile } from './waveforms/waveform-file.ts'
import { ingestRawSamples } from './waveforms/raw-samples.ts'
import { WaveformBodyReader } from './waveforms/waveform-body-reader.ts'

type RecordIngestOptions = {
  storage: IngestParts['storage'] & Pick<Storage, 'site'>
  clock: IngestClock
  /** Left out: records are stored, and nothing is evaluated. */
  commits?: RecordCommits
  catalogue?: CurrentCatalogue
  derivation?: StationDerivation
  backfill?: Backfill
  early?: EarlySources | undefined
  /** Frequencies of waveforms with more samples are not tracked. */
  analysisSamples?: number
}

/**
 * Stores records of every kind. Each record is stored, or named in the report with the reason; the
 * report follows once all of it is durable.
 */
export class RecordIngest implements AsyncDisposable {
  readonly #parts: IngestParts

  constructor(parts: IngestParts) {
    this.#parts = parts
  }

  /** Opens ingest with defaults for the parts that are left out. */
  static open({
    storage,
    clock,
    commits = storingCommits(storage),
    catalogue = openCatalogue(storage.site),
    derivation = new StationDerivation({ data: storage.records, commits }),
    backfill = new Backfill(),
    early,
    analysisSamples = Infinity,
  }: RecordIngestOptions): RecordIngest {
    const parts = { storage, clock, commits, catalogue, derivation, backfill, early }
    const readings = new SerialQueue()
    const reader = new WaveformBodyReader()
    const tracker = new FrequencyTracker(analysisSamples)
    return new RecordIngest({ ...parts, readings, reader, tracker })
  }

  /** Ends the threads of waveforms, also for the results of `ofPast`, `ofKey` and `dryRun`. */
  async [Symbol.asyncDispose](): Promise<void> {
    const { reader, tracker } = this.#parts
    await Promise.all([reader[Symbol.asyncDispose](), tracker[Symbol.asyncDispose]()])
  }

  get catalogue(): CurrentCatalogue {
    return this.#parts.catalogue
  }

  get clock(): IngestClock {
    return this.#parts.clock
  }

  /** Ingest for records of any past time, entered by hand or imported. */
  ofPast(): RecordIngest {
    return new RecordIngest({ ...this.#parts, clock: this.clock.ofPast() })
  }

  /** Ingest for the sender of a key, which rejects records of other targets than the key's. */
  ofKey(targets: KeyTargets | null): RecordIngest {
    return targets === null ? this : new RecordIngest({ ...this.#parts, targets })
  }

  /** Ingest for files that reports what would be stored, and stores nothing. */
  dryRun(): FileIngest {
    const { early: _, ...parts } = this.#parts
    const commits = dryCommits(parts.storage)
    const derivation = new StationDerivation({ data: parts.storage.records, commits })
    const backfill = new Backfill()
    return new RecordIngest({ ...parts, derivation, backfill, commits })
  }

  /** Stores records of stations. */
  theme(records: readonly unknown[], options?: RecordOptions): Promise<IngestReport> {
    return ingestTheme(this.#parts, records, options)
  }

  /** Stores raw records and the station records that are derived from them. */
  raw(records: readonly unknown[], options?: RecordOptions): Promise<IngestReport> {
    return ingestRaw(this.#parts, records, options)
  }

  /** Stores manual readings as records of their station, together with their author, as a change. */
  readings(author: ReadingAuthor, readings: readonly EnteredReading[]): Promise<ReadingReport> {
    return this.#parts.readings.run(() => ingestReadings(this.#parts, author, readings))
  }

  /** Stores weighed vehicles. */
  traffic(records: readonly unknown[]): Promise<IngestReport> {
    return ingestTraffic(this.#parts, records)
  }

  /** Stores the contacts of devices and the errors that they report. */
  heartbeats(devices: readonly unknown[]): Promise<IngestReport> {
    return ingestHeartbeats(this.#parts, devices)
  }

  /** Stores waveforms, each with the station records that are computed from it. */
  vibration(waveforms: readonly unknown[]): Promise<IngestReport> {
    return ingestVibration(this.#parts, waveforms)
  }

  /** Stores a waveform of bare samples; takes the bytes over. */
  rawSamples(bytes: Uint8Array, query: object): Promise<IngestReport> {
    return ingestRawSamples(this.#parts, bytes, query)
  }

  /** Stores the waveforms of a file, all or none; takes the bytes over. */
  waveforms(
    bytes: Uint8Array,
    file: WaveformFile,
    options?: WaveformFileOptions,
  ): Promise<StoredWaveforms> {
    return ingestWaveforms(this.#parts, bytes, file, options)
  }
}

/** The part of ingest that files need. */
export type FileIngest = Pick<RecordIngest, 'theme' | 'raw' | 'waveforms' | 'catalogue' | 'clock'>
