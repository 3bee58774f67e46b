/** The values of a series from minute to minute, in the notation of promtool. */
type Series = Readonly<Record<string, string>>

/** What happens, in which minute the alert fires, and in which one it does not fire yet. */
export type RuleCase = { alert: string; when: Series; firesAt: number; silentAt: number }

/** Minutes of the healthy site: two days, in short some hours. */
export const MINUTES = process.env['TEST_DEEP'] === undefined ? 480 : 2880

const ON = 'job="plumbline",instance="site"'
const THEME = `${ON},origin="http theme"`
const FOLDER = `${ON},origin="file /srv/logger"`
const MAIL = `${ON},channel="mail"`

const series = (name: string, labels = ON): string => `${name}{${labels}}`

const REQUESTS = series(
  'plumbline_http_requests_total',
  `${ON},method="GET",route="/",status="200"`,
)
const REFUSED = REQUESTS.replace('"200"', '"503"')
const FAILED = REQUESTS.replace('"200"', '"500"')
const DURATION = 'plumbline_http_request_duration_seconds_bucket'
const WITHIN_A_SECOND = series(DURATION, `${ON},route="/",le="1"`)
const WITHIN_5_SECONDS = series(DURATION, `${ON},route="/",le="5"`)
const ALL_DURATIONS = series(DURATION, `${ON},route="/",le="+Inf"`)

/** A site on which nothing is wrong. */
export const HEALTHY: Series = {
  [series('up')]: `1x${MINUTES}`,
  [series('plumbline_ready')]: `1x${MINUTES}`,
  [series('plumbline_process_start_time_seconds')]: `0x${MINUTES}`,
  [series('plumbline_certificate_expiry_timestamp_seconds')]: `63072000x${MINUTES}`,
  [series('plumbline_log_lines_lost_total')]: `0x${MINUTES}`,
  [series('plumbline_security_events_total', `${ON},event="security.log-in"`)]: `0+100x${MINUTES}`,
  [series('plumbline_security_events_total', `${ON},event="security.key-refused"`)]:
    `0+1x${MINUTES}`,
  [series('plumbline_ingest_records_total', THEME)]: `0+100x${MINUTES}`,
  [series('plumbline_ingest_rejected_records_total', THEME)]: `0x${MINUTES}`,
  [series('plumbline_ingest_source_connected', `${ON},origin="mqtt site"`)]: `1x${MINUTES}`,
  [series('plumbline_ingest_source_connected', `${ON},origin="broker"`)]: `0x${MINUTES}`,
  [series('plumbline_folder_readable', FOLDER)]: `1x${MINUTES}`,
  [series('plumbline_folder_bytes_behind', FOLDER)]: `0 5000 0 0 0 7000 0x${MINUTES}`,
  [series('plumbline_folder_files_rejected', FOLDER)]: `0x${MINUTES}`,
  [series('plumbline_alarms_open', `${ON},level="1"`)]: `40x${MINUTES}`,
  [series('plumbline_notification_deliveries', `${MAIL},state="givenUp"`)]: `3x${MINUTES}`,
  [series('plumbline_notification_deliveries', `${MAIL},state="waiting"`)]: `0 2 0 0x${MINUTES}`,
  [series('plumbline_retention_clock_confirmed')]: `0x60 1x${MINUTES}`,
  [series('plumbline_sealing_last_run_timestamp_seconds')]: `0+60x${MINUTES}`,
  [series('plumbline_disk_low')]: `0x${MINUTES}`,
  [series('plumbline_intake_stopped')]: `0x${MINUTES}`,
  [series('plumbline_backup_interval_seconds')]: `86400x${MINUTES}`,
  [series('plumbline_backup_last_success_timestamp_seconds')]: `0+60x${MINUTES}`,
  [series('plumbline_backup_failures_total')]: `1x${MINUTES}`,
  [series('plumbline_backup_damaged')]: `0x${MINUTES}`,
  [series('plumbline_continuous_copy_timestamp_seconds')]: `0+60x${MINUTES}`,
  [series('plumbline_sealing_damaged_days')]: `0x${MINUTES}`,
  [series('plumbline_database_bytes', `${ON},file="log"`)]: `4e7x${MINUTES}`,
  [REQUESTS]: `0+600x${MINUTES}`,
  [REFUSED]: `0+1x${MINUTES}`,
  [WITHIN_A_SECOND]: `0+600x${MINUTES}`,
  [WITHIN_5_SECONDS]: `0+600x${MINUTES}`,
  [ALL_DURATIONS]: `0+600x${MINUTES}`,
  [series('plumbline_nodejs_eventloop_lag_p99_seconds')]: `0.012x${MINUTES}`,
  [series('plumbline_process_resident_memory_bytes')]: `3e8x${MINUTES}`,
  [series('plumbline_process_open_fds')]: `300x${MINUTES}`,
  [series('plumbline_process_max_fds')]: `20000x${MINUTES}`,
  [series('plumbline_workers', `${ON},state="wanted"`)]: `4x${MINUTES}`,
  [series('plumbline_workers', `${ON},state="answering"`)]: `4x${MINUTES}`,
  [series('plumbline_worker_restarts_total')]: `1x${MINUTES}`,
  [series('plumbline_camera_streams', `${ON},state="waiting"`)]: `0x${MINUTES}`,
  [series('plumbline_camera_streams', `${ON},state="running"`)]: `2x${MINUTES}`,
}

/** The minute at which one thing goes wrong on the healthy site. */
const WRONG = 90

const changed = (before: string, after: string): string => `${before}x${WRONG} ${after}x400`

export const RULE_CASES: readonly RuleCase[] = [
  {
    alert: 'PlumblineDown',
    when: { [series('up')]: changed('1', '0') },
    firesAt: WRONG + 5,
    silentAt: WRONG + 1,
  },
  {
    alert: 'PlumblineNotReady',
    when: { [series('plumbline_ready')]: changed('1', '0') },
    firesAt: WRONG + 5,
    silentAt: WRONG + 1,
  },
  {
    alert: 'PlumblineRestarts',
    when: { [series('plumbline_process_start_time_seconds')]: `0x${WRONG} 1 1 2 2 3 3x400` },
    firesAt: WRONG + 10,
    silentAt: WRONG + 3,
  },
  {
    alert: 'PlumblineCertificateEnds',
    when: {
      [series('plumbline_certificate_expiry_timestamp_seconds')]:
        `${14 * 86_400 + 5400}x${MINUTES}`,
    },
    firesAt: WRONG + 70,
    silentAt: WRONG + 50,
  },
  {
    alert: 'PlumblineLogLinesLost',
    when: { [series('plumbline_log_lines_lost_total')]: changed('0', '7') },
    firesAt: WRONG + 5,
    silentAt: WRONG - 1,
  },
  {
    alert: 'PlumblineWrongSecrets',
    when: {
      [series('plumbline_security_events_total', `${ON},event="security.key-refused"`)]:
        `0x${WRONG} 0+60x400`,
    },
    firesAt: WRONG + 10,
    silentAt: WRONG,
  },
  {
    alert: 'PlumblineSourceSilent',
    when: {
      [series('plumbline_ingest_records_total', THEME)]: `0+100x${WRONG} ${WRONG * 100}x400`,
    },
    firesAt: WRONG + 80,
    silentAt: WRONG + 55,
  },
  {
    alert: 'PlumblineSourceDisconnected',
    when: {
      [series('plumbline_ingest_source_connected', `${ON},origin="mqtt site"`)]: changed('1', '0'),
    },
    firesAt: WRONG + 15,
    silentAt: WRONG + 8,
  },
  {
    alert: 'PlumblineRecordsRejected',
    when: {
      [series('plumbline_ingest_rejected_records_total', THEME)]: `0x${WRONG} 0+5x400`,
    },
    firesAt: WRONG + 30,
    silentAt: WRONG + 1,
  },
  {
    alert: 'PlumblineFolderUnreadable',
    when: { [series('plumbline_folder_readable', FOLDER)]: changed('1', '0') },
    firesAt: WRONG + 15,
    silentAt: WRONG + 8,
  },
  {
    alert: 'PlumblineFolderBehind',
    when: { [series('plumbline_folder_bytes_behind', FOLDER)]: changed('0', '9000') },
    firesAt: WRONG + 70,
    silentAt: WRONG + 50,
  },
  {
    alert: 'PlumblineFilesRejected',
    when: { [series('plumbline_folder_files_rejected', FOLDER)]: changed('0', '1') },
    firesAt: WRONG + 20,
    silentAt: WRONG + 10,
  },
  {
    alert: 'PlumblineSourceClockWrong',
    when: {
      [series('plumbline_early_sources', `${ON},kind="station"`)]: changed('0', '2'),
    },
    firesAt: WRONG + 20,
    silentAt: WRONG + 10,
  },
  {
    alert: 'PlumblineAlarmsFlood',
    when: { [series('plumbline_alarms_open', `${ON},level="2"`)]: `_x${WRONG} 5 70x400` },
    firesAt: WRONG + 5,
    silentAt: WRONG,
  },
  {
    alert: 'PlumblineDeliveriesGivenUp',
    when: {
      [series('plumbline_notification_deliveries', `${MAIL},state="givenUp"`)]: changed('3', '4'),
    },
    firesAt: WRONG + 5,
    silentAt: WRONG - 1,
  },
  {
    alert: 'PlumblineDeliveriesWait',
    when: {
      [series('plumbline_notification_deliveries', `${MAIL},state="waiting"`)]: changed('0', '2'),
    },
    firesAt: WRONG + 40,
    silentAt: WRONG + 20,
  },
  {
    alert: 'PlumblineClockDoubted',
    when: { [series('plumbline_retention_clock_confirmed')]: changed('1', '0') },
    firesAt: WRONG + 10,
    silentAt: WRONG + 3,
  },
  {
    alert: 'PlumblineDiskLow',
    when: { [series('plumbline_disk_low')]: changed('0', '1') },
    firesAt: WRONG + 10,
    silentAt: WRONG + 3,
  },
  {
    alert: 'PlumblineIntakeStopped',
    when: { [series('plumbline_intake_stopped')]: changed('0', '1') },
    firesAt: WRONG + 5,
    silentAt: WRONG,
  },
  {
    alert: 'PlumblineBackupOld',
    when: {
      [series('plumbline_backup_interval_seconds')]: `1200x${MINUTES}`,
      [series('plumbline_backup_last_success_timestamp_seconds')]: `0+60x${WRONG} 5400x400`,
    },
    firesAt: WRONG + 62,
    silentAt: WRONG + 50,
  },
  {
    alert: 'PlumblineBackupFails',
    when: { [series('plumbline_backup_failures_total')]: `1x${WRONG} 2x10 3x400` },
    firesAt: WRONG + 15,
    silentAt: WRONG + 5,
  },
  {
    alert: 'PlumblineBackupDamaged',
    when: { [series('plumbline_backup_damaged')]: `0x${WRONG} 1x400` },
    firesAt: WRONG + 3,
    silentAt: WRONG - 1,
  },
  {
    alert: 'PlumblineCopyBehind',
    when: { [series('plumbline_continuous_copy_timestamp_seconds')]: `0+60x${WRONG} 5400x400` },
    firesAt: WRONG + 9,
    silentAt: WRONG + 4,
  },
  {
    alert: 'PlumblineSealingBehind',
    when: { [series('plumbline_sealing_last_run_timestamp_seconds')]: `${WRONG * 60}x${MINUTES}` },
    firesAt: WRONG + 365,
    silentAt: WRONG + 355,
  },
  {
    alert: 'PlumblineDaysDamaged',
    when: { [series('plumbline_sealing_damaged_days')]: changed('0', '1') },
    firesAt: WRONG + 5,
    silentAt: WRONG,
  },
  {
    alert: 'PlumblineDatabaseLogGrows',
    when: { [series('plumbline_database_bytes', `${ON},file="log"`)]: changed('4e7', '2e9') },
    firesAt: WRONG + 40,
    silentAt: WRONG + 20,
  },
  {
    alert: 'PlumblineServerErrors',
    when: { [FAILED]: changed('0', '1') },
    firesAt: WRONG + 5,
    silentAt: WRONG,
  },
  {
    alert: 'PlumblineRequestsRefused',
    when: { [REFUSED]: `0x${WRONG} 0+60x400` },
    firesAt: WRONG + 30,
    silentAt: WRONG + 5,
  },
  {
    alert: 'PlumblineResponsesSlow',
    when: { [WITHIN_A_SECOND]: `0+500x${MINUTES}` },
    firesAt: WRONG,
    silentAt: 10,
  },
  {
    alert: 'PlumblineEventLoopLags',
    when: { [series('plumbline_nodejs_eventloop_lag_p99_seconds')]: changed('0.012', '0.5') },
    firesAt: WRONG + 20,
    silentAt: WRONG + 10,
  },
  {
    alert: 'PlumblineMemoryLarge',
    when: { [series('plumbline_process_resident_memory_bytes')]: changed('3e8', '3e9') },
    firesAt: WRONG + 40,
    silentAt: WRONG + 20,
  },
  {
    alert: 'PlumblineFilesAreShort',
    when: { [series('plumbline_process_open_fds')]: changed('300', '19000') },
    firesAt: WRONG + 20,
    silentAt: WRONG + 5,
  },
  {
    alert: 'PlumblineWorkersMissing',
    when: { [series('plumbline_workers', `${ON},state="answering"`)]: changed('4', '3') },
    firesAt: WRONG + 10,
    silentAt: WRONG + 3,
  },
  {
    alert: 'PlumblineWorkersRestart',
    when: { [series('plumbline_worker_restarts_total')]: `1x${WRONG} 1+1x5 6x400` },
    firesAt: WRONG + 20,
    silentAt: WRONG,
  },
  {
    alert: 'PlumblineCamerasWait',
    when: { [series('plumbline_camera_streams', `${ON},state="waiting"`)]: changed('0', '1') },
    firesAt: WRONG + 20,
    silentAt: WRONG + 10,
  },
]
