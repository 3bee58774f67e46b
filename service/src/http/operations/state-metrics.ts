import type { Metric } from 'prom-client'
import type { SealingState } from '../../sealing/sealing-counts.ts'
import type { Storage } from '../../storage/storage.ts'
import { makeCounters, makeGauges } from './plain-metrics.ts'

/** What is read of the storage when metrics are requested. */
export type MeasuredStorage = Pick<
  Storage,
  'measureFiles' | 'countPendingMigrations' | 'countConflicts'
> & {
  alarms: Pick<Storage['alarms'], 'countOpen'>
  records: Pick<Storage['records'], 'measureKept'>
}

/** Open alarms that are counted at most, so that a request for metrics stays short. */
const OPEN_ALARMS_MAXIMUM = 100_000

/** Metrics of open alarms, of the files of the database and of conflicts of writers. */
export async function storageMetrics(storage: MeasuredStorage): Promise<Metric[]> {
  const { Counter, Gauge } = await import('prom-client')
  return [
    new Counter({
      name: 'plumbline_write_conflicts_total',
      help: 'Writes that were computed again since another one had changed what they depend on, by what was changed.',
      labelNames: ['changed'],
      registers: [],
      collect() {
        this.reset()
        for (const [changed, count] of storage.countConflicts()) this.inc({ changed }, count)
      },
    }),
    new Gauge({
      name: 'plumbline_alarms_open',
      help: `Open alarms by level; at most ${OPEN_ALARMS_MAXIMUM} are counted.`,
      labelNames: ['level'],
      registers: [],
      async collect() {
        this.reset()
        for (const { level, count } of await storage.alarms.countOpen(OPEN_ALARMS_MAXIMUM))
          this.set({ level }, count)
      },
    }),
    new Gauge({
      name: 'plumbline_database_bytes',
      help: 'Bytes of the database file and of its log.',
      labelNames: ['file'],
      registers: [],
      collect() {
        const { database, log } = storage.measureFiles()
        this.set({ file: 'database' }, database)
        this.set({ file: 'log' }, log)
      },
    }),
    ...(await makeGauges([
      [
        'plumbline_pending_migrations',
        'Optional migrations that the database has not taken yet.',
        () => storage.countPendingMigrations(),
      ],
    ])),
  ]
}

/** Metrics of sealing. */
export async function sealingMetrics(sealing: () => SealingState): Promise<Metric[]> {
  const counters = await makeCounters([
    ['plumbline_sealed_records_total', 'Records sealed since the start.', () => sealing().records],
    [
      'plumbline_sealed_days_total',
      'Days of a source sealed since the start.',
      () => sealing().days,
    ],
  ])
  const gauges = await makeGauges([
    [
      'plumbline_sealing_damaged_days',
      'Days that the last run did not seal because they are damaged.',
      () => sealing().damagedDays,
    ],
    [
      'plumbline_sealing_days_left',
      'Days that received records during the last run and are sealed by the next one.',
      () => sealing().daysLeft,
    ],
    [
      'plumbline_sealing_last_run_timestamp_seconds',
      'When this instance last ended a run of sealing, in seconds since 1970.',
      () => {
        const { lastRunAt } = sealing()
        return lastRunAt && lastRunAt / 1000
      },
    ],
  ])
  return [...counters, ...gauges]
}
