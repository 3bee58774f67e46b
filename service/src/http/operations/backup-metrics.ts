import type { Metric } from 'prom-client'
import type { ScheduledBackupState } from '../../backup/scheduled-backup-state.ts'

export type ReadScheduledBackup = () => ScheduledBackupState | undefined

type Read = (state: ScheduledBackupState) => number | undefined

const GAUGES: readonly [name: string, help: string, read: Read][] = [
  [
    'plumbline_backup_last_success_timestamp_seconds',
    'The instant of the data in the newest backup to backup.to, in seconds since 1970.',
    ({ last }) => (last === undefined ? undefined : Date.parse(last.instant) / 1000),
  ],
  [
    'plumbline_backup_last_duration_seconds',
    'How long the newest backup to backup.to took.',
    ({ last }) => last?.seconds,
  ],
  [
    'plumbline_backup_last_written_bytes',
    'Bytes that were written for the newest backup to backup.to.',
    ({ last }) => last?.bytes,
  ],
]

/** Metrics of the backups that the service makes by itself; none where it makes none. */
export async function scheduledBackupMetrics(readState: ReadScheduledBackup): Promise<Metric[]> {
  if (readState() === undefined) return []
  const { Counter, Gauge } = await import('prom-client')
  return [
    ...GAUGES.map(
      ([name, help, read]) =>
        new Gauge({
          name,
          help,
          registers: [],
          collect() {
            const state = readState()
            const value = state === undefined ? undefined : read(state)
            if (value === undefined) this.remove()
            else this.set(value)
          },
        }),
    ),
    new Counter({
      name: 'plumbline_backup_failures_total',
      help: 'Attempts to back up to backup.to that failed since the start.',
      registers: [],
      collect() {
        this.reset()
        this.inc(readState()?.failures ?? 0)
      },
    }),
  ]
}
