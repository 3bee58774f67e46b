import type { Logger } from 'pino'
import type { AlarmCommits } from '../alarms/alarm-commits.ts'
import { startEarlyRecords } from '../alarms/early-records-job.ts'
import { startOfflineDetection } from '../alarms/offline-detection-job.ts'
import { startPeriodicJob } from '../background/periodic-job.ts'
import type { Config } from '../config/settings.ts'
import { startExpiringChanges } from '../retention/expire-changes.ts'
import type { ClockWatch } from '../retention/clock-watch.ts'
import type { Held } from '../retention/expire-daily.ts'
import { startRetention } from '../retention/retention-job.ts'
import { startSealing } from '../sealing/sealing-job.ts'
import type { CurrentCatalogue } from '../storage/current-catalogue.ts'
import type { Storage } from '../storage/storage.ts'

const HOUR = 3_600_000
const DAY = 24 * HOUR

/** When jobs run that the settings say nothing of. */
export type JobRhythm = {
  /** How long after the start past days are first looked for. */
  firstSealingMilliseconds?: number | undefined
  /** How long after the start records past their term are first looked for. */
  firstRetentionMilliseconds?: number | undefined
  /** How often changes are looked for that can be deleted. */
  expireChangesMilliseconds?: number | undefined
  /** How often the clock is held against the running time. */
  clockMilliseconds?: number | undefined
  /** How often early records are looked for whose time has come. */
  earlyRecordsMilliseconds?: number | undefined
  /** How often tokens are looked for that have expired. */
  tidyTokensMilliseconds?: number | undefined
}

type Options = JobRhythm & {
  config: Config
  storage: Storage
  catalogue: CurrentCatalogue
  commits: AlarmCommits
  log: Logger
  now(): number
  clock: Pick<ClockWatch, 'trustedNow' | 'findProblem'>
}

export type Jobs = AsyncDisposable & {
  /** Records past their term that stay for now. */
  held(): readonly Held[]
}

/** Starts what is done again and again beside the requests, as far as the settings want it. */
export function startJobs(options: Options): Jobs {
  const { config, storage, catalogue, commits, log, now, clock } = options
  const { trustedNow } = clock
  const stack = new AsyncDisposableStack()
  stack.use(startTidyingTokens(options))
  stack.use(
    startOfflineDetection({
      commits,
      storage,
      catalogue,
      log,
      everySeconds: config['alarms.offlineCheckSeconds'],
      isHeld: () => clock.findProblem() !== undefined,
      now,
    }),
  )
  const everyMilliseconds = options.earlyRecordsMilliseconds
  stack.use(startEarlyRecords({ commits, storage, catalogue, log, everyMilliseconds, now }))
  if (config['seal.everyMinutes'] > 0)
    stack.use(
      startSealing({
        storage,
        catalogue,
        log,
        afterDays: config['seal.afterDays'],
        everyMinutes: config['seal.everyMinutes'],
        share: config['seal.cpuShare'],
        firstMilliseconds: options.firstSealingMilliseconds,
        now,
      }),
    )
  const retention = stack.use(
    startRetention({
      storage,
      catalogue,
      log,
      everyMinutes: config['retention.everyMinutes'],
      share: config['retention.cpuShare'],
      maxShareOfDay: config['retention.maxShareOfDay'],
      firstMilliseconds: options.firstRetentionMilliseconds,
      now,
      trustedNow,
    }),
  )
  if (config['ingest.keepChangesDays'] > 0)
    stack.use(
      startExpiringChanges({
        storage,
        log,
        keepDays: config['ingest.keepChangesDays'],
        everyMilliseconds: options.expireChangesMilliseconds,
        trustedNow,
      }),
    )
  return { held: retention.held, [Symbol.asyncDispose]: () => stack.disposeAsync() }
}

/** Tokens that are over are marked, whatever the clock says later, and in the end forgotten. */
function startTidyingTokens({
  storage: { tokens },
  config,
  clock: { trustedNow },
  log,
  tidyTokensMilliseconds = HOUR,
}: Options): AsyncDisposable {
  return startPeriodicJob({
    async run() {
      await tokens.markAllExpired(trustedNow())
      await tokens.forgetExpired(trustedNow() - config['tokens.keepExpiredDays'] * DAY)
    },
    onError: (error) => log.warn(`expired tokens stay for now: ${error.message}`),
    everyMilliseconds: tidyTokensMilliseconds,
  })
}
