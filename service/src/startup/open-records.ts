import { randomInt } from 'node:crypto'
import type { Logger } from 'pino'
import { AlarmEvaluator } from '../alarms/alarm-evaluator.ts'
import type { ClockMonitor } from '../clock/clock-monitor.ts'
import { Commits } from '../commit/commits.ts'
import type { Config } from '../config/settings.ts'
import { StationDerivation } from '../derivation/station-derivation.ts'
import { RecordIngest } from '../ingest/record-ingest.ts'
import { Backfill } from '../ingest/records/backfill.ts'
import { BehindSources } from '../ingest/records/behind-sources.ts'
import { EarlySources } from '../ingest/records/early-sources.ts'
import { IngestClock } from '../ingest/records/ingest-clock.ts'
import { RejectWriter } from '../ingest/rejects/reject-writer.ts'
import { RequestCounts } from '../ingest/rejects/request-counts.ts'
import type { DiskSpace } from '../storage/disk-space.ts'
import type { CurrentCatalogue } from '../storage/current-catalogue.ts'
import type { Storage } from '../storage/storage.ts'
import { traced } from '../tracing/traced.ts'
import type { Tracing } from '../tracing/tracing.ts'
import { rejectLimits } from './ingest-limits.ts'

type RecordPartsOptions = {
  config: Config
  storage: Storage
  catalogue: CurrentCatalogue
  clock: ClockMonitor
  disk: DiskSpace
  tracing: Tracing | undefined
  log: Logger
  now(): number
}

/** Opens ingest with derivation, alarm evaluation, commits and the counts of its rejects. */
export function openRecords(options: RecordPartsOptions) {
  const { config, storage, catalogue, clock, disk, tracing, log, now } = options
  const stack = new AsyncDisposableStack()
  const requireIntake = () => {
    clock.requireClock()
    disk.requireSpace()
  }
  const clockTolerance = config['ingest.clockToleranceSeconds'] * 1000
  const evaluator = new AlarmEvaluator({
    storage,
    writer: randomInt(2 ** 47),
    now: () => clock.knownNow(),
    clockTolerance,
  })
  const commits = traced(tracing, new Commits({ storage, evaluator }), {
    records: 'commit of records',
    waveforms: 'commit of waveforms',
    change: 'commit of alarms',
    due: 'commit of early records',
  })
  const derivation = traced(tracing, new StationDerivation({ data: storage.records, commits }), {
    update: 'derivation',
    recompute: 'derivation',
  })
  const behind = stack.use(new BehindSources(Date.parse(config['ingest.earliestTime']), log))
  const ingest = stack.use(
    RecordIngest.open({
      storage,
      catalogue,
      clock: new IngestClock({ now, requireIntake, behind }),
      commits,
      derivation,
      backfill: new Backfill({
        oldMilliseconds: config['ingest.backfillMinutes'] * 60_000,
        manyRecords: config['ingest.backfillRecords'],
      }),
      early: new EarlySources(storage, clockTolerance),
      analysisSamples: config['vibration.maxAnalysisSamples'],
    }),
  )
  const rejects = stack.use(
    new RejectWriter({ store: storage.rejects, keep: rejectLimits(config), log }),
  )
  const requests = stack.use(new RequestCounts(log))
  return {
    commits,
    derivation,
    behind,
    ingest,
    rejects,
    requests,
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  }
}
