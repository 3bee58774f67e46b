import type { Logger } from 'pino'
import type { AlarmCommits } from '../alarms/alarm-commits.ts'
import { EarlyRecords } from '../alarms/early-records-job.ts'
import { OfflineDetection } from '../alarms/offline-job.ts'
import { startJobs, type JobOptions } from '../background/job.ts'
import { BackupJob } from '../backup/backup-job.ts'
import type { ScheduledBackupState } from '../backup/scheduled-backup-state.ts'
import type { ClockMonitor } from '../clock/clock-monitor.ts'
import { environment } from '../config/env.ts'
import type { Config } from '../config/settings.ts'
import { expireChanges } from '../retention/expire-changes.ts'
import type { Withheld } from '../retention/expire-daily.ts'
import { RetentionJob } from '../retention/retention-job.ts'
import { storageVariables } from './storage-settings.ts'
import { SealingCounts, type SealingState } from '../sealing/sealing-counts.ts'
import { sealAsLeader } from '../sealing/seal-as-leader.ts'
import type { CurrentCatalogue } from '../storage/current-catalogue.ts'
import type { Storage } from '../storage/storage.ts'
import { traced } from '../tracing/traced.ts'
import type { Tracing } from '../tracing/tracing.ts'

const SECOND = 1_000
const MINUTE = 60 * SECOND
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR

/** The delay of jobs after the start, when clients send what has waited for the service. */
const FIRST_MILLISECONDS = 30_000

/** Intervals of jobs without a setting. */
export type JobRhythm = {
  /** The delay of the first sealing after the start. */
  firstSealingMilliseconds?: number | undefined
  /** The delay of the first retention after the start. */
  firstRetentionMilliseconds?: number | undefined
  /** The interval of the expiry of changes. */
  expireChangesMilliseconds?: number | undefined
  /** The interval at which it is looked whether a backup is due. */
  backupMilliseconds?: number | undefined
  /** The interval of clock checks. */
  clockMilliseconds?: number | undefined
  /** The interval of the evaluation of early records. */
  earlyRecordsMilliseconds?: number | undefined
  /** The interval of the expiry of tokens. */
  expireTokensMilliseconds?: number | undefined
}

type BackgroundJobOptions = JobRhythm & {
  config: Config
  dataFolder: string
  settingsFile?: string | undefined
  storage: Storage
  catalogue: CurrentCatalogue
  commits: AlarmCommits
  tracing: Tracing | undefined
  log: Logger
  now(): number
  clock: Pick<ClockMonitor, 'trustedNow'>
  /** Why nothing is taken in: contacts of devices are not noted then. */
  findIntakeProblem(): string | undefined
}

type BackgroundJobs = AsyncDisposable & {
  /** Expired records that are not deleted yet. */
  withheld(): readonly Withheld[]
  /** What sealing has done since the start. */
  sealing(): SealingState
  /** The backups that the service makes by itself; undefined where it makes none. */
  backup(): ScheduledBackupState | undefined
}

/** Starts the background jobs; an interval of 0 turns a job off. */
export function startBackgroundJobs(options: BackgroundJobOptions): BackgroundJobs {
  const { config, storage, catalogue, commits, tracing, log, now, clock } = options
  const { findIntakeProblem } = options
  const trustedNow = () => clock.trustedNow()
  const stack = new AsyncDisposableStack()
  const offlineCheckMilliseconds = config['alarms.offlineCheckSeconds'] * 1000
  const offlineDetection = stack.use(
    new OfflineDetection({
      commits,
      storage,
      catalogue,
      log,
      everyMilliseconds: offlineCheckMilliseconds,
      isSuspended: () => findIntakeProblem() !== undefined,
      now,
    }),
  )
  const earlyRecords = new EarlyRecords({ commits, storage, catalogue, log, now })
  const retention = new RetentionJob({
    storage,
    catalogue,
    log,
    share: config['retention.cpuShare'],
    maxShareOfDay: config['retention.maxShareOfDay'],
    now,
    trustedNow,
  })
  const longJobs = traced(
    tracing,
    {
      seal: (stop: AbortSignal) => sealAsLeader(sealing, stop),
      expire: (stop: AbortSignal) => retention.run(stop),
    },
    { seal: 'sealing', expire: 'retention' },
  )
  const sealingCounts = new SealingCounts()
  const sealing = {
    counts: sealingCounts,
    storage,
    catalogue,
    log,
    afterDays: config['seal.afterDays'],
    share: config['seal.cpuShare'],
    now,
  }
  const backup = new BackupJob({
    leases: storage.leases,
    log,
    dataFolder: options.dataFolder,
    settingsFile: options.settingsFile,
    variables: { ...environment, ...storageVariables(config) },
    to: config['backup.to'],
    everyHours: config['backup.everyHours'],
    keep: config['backup.keep'],
    verifyEveryDays: config['backup.verifyEveryDays'],
    now,
  })
  const keepDays = config['ingest.keepChangesDays']
  const jobs: Omit<JobOptions, 'log'>[] = [
    {
      name: 'Expiry of tokens',
      everyMilliseconds: options.expireTokensMilliseconds ?? HOUR,
      run: () => expireTokens(storage, trustedNow(), config['tokens.keepExpiredDays']),
    },
    {
      name: 'Expiry of sessions',
      everyMilliseconds: HOUR,
      run: () => expireSessions(storage, trustedNow(), config['accounts.sessionDays']),
    },
    {
      name: 'Offline detection',
      everyMilliseconds: offlineCheckMilliseconds,
      run: () => offlineDetection.run(),
    },
    {
      name: 'Evaluation of early records',
      everyMilliseconds: options.earlyRecordsMilliseconds ?? 2 * SECOND,
      run: (stop) => earlyRecords.run(stop),
    },
    {
      name: 'Expiry of early sources',
      everyMilliseconds: HOUR,
      run: () => storage.earlyRecords.expireSources(now()),
    },
    {
      name: 'Sealing',
      everyMilliseconds: config['seal.everyMinutes'] * MINUTE,
      firstMilliseconds: options.firstSealingMilliseconds ?? FIRST_MILLISECONDS,
      run: longJobs.seal,
    },
    {
      name: 'Retention',
      everyMilliseconds: config['retention.everyMinutes'] * MINUTE,
      firstMilliseconds: options.firstRetentionMilliseconds ?? FIRST_MILLISECONDS,
      run: longJobs.expire,
    },
    {
      name: 'Backup',
      everyMilliseconds: config['backup.to'] === '' ? 0 : (options.backupMilliseconds ?? MINUTE),
      firstMilliseconds: options.backupMilliseconds ?? FIRST_MILLISECONDS,
      run: (stop) => backup.run(stop),
    },
    {
      name: 'Expiry of changes',
      everyMilliseconds: keepDays === 0 ? 0 : (options.expireChangesMilliseconds ?? HOUR),
      run: (stop) => expireChanges({ storage, log, keepDays, trustedNow }, stop),
    },
  ]
  stack.use(startJobs(jobs.map((job) => ({ ...job, log }))))
  return {
    withheld: () => retention.withheld,
    sealing: () => sealingCounts.state,
    backup: () => (config['backup.to'] === '' ? undefined : backup.state),
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  }
}

/** Deletes sessions and links that have ended, and closes notes of changes whose process has ended. */
async function expireSessions(
  { accounts, sessions, audit }: Pick<Storage, 'accounts' | 'sessions' | 'audit'>,
  trustedNow: number,
  sessionDays: number,
): Promise<void> {
  await sessions.deleteUnused(trustedNow - sessionDays * DAY)
  await accounts.deleteExpiredLinks(trustedNow)
  await audit.closeAbandoned(trustedNow - DAY)
}

/** Marks expired tokens, so that they stay expired when the clock is set back, and deletes old ones. */
async function expireTokens(
  { tokens }: Pick<Storage, 'tokens'>,
  trustedNow: number,
  keepDays: number,
): Promise<void> {
  await tokens.markAllExpired(trustedNow)
  await tokens.deleteExpired(trustedNow - keepDays * DAY)
}
