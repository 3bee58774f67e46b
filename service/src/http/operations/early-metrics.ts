import type { Metric } from 'prom-client'
import type { BehindSource } from '../../ingest/records/behind-sources.ts'
import type { AheadSource } from '../../ingest/records/clock-state.ts'
import { makeGauges } from './plain-metrics.ts'

/** Early records, and sources whose clocks are wrong. */
export type EarlyState = {
  /** Early records of stations that are not evaluated yet. */
  waiting: number
  sources: readonly AheadSource[]
  /** Sources that sent records from before `ingest.earliestTime`. */
  behind: readonly BehindSource[]
}

/** Metrics of early records and of sources whose clocks are wrong. */
export async function earlyMetrics(clocks: () => Promise<EarlyState>): Promise<Metric[]> {
  const { Gauge } = await import('prom-client')
  const plain = await makeGauges([
    [
      'plumbline_early_records',
      'Early records of stations that are not evaluated yet.',
      async () => (await clocks()).waiting,
    ],
    [
      'plumbline_early_lead_seconds',
      'The largest lead of an early record over the clock, in seconds.',
      async () => Math.max(0, ...(await clocks()).sources.map(({ leadSeconds }) => leadSeconds)),
    ],
  ])
  return [
    ...plain,
    new Gauge({
      name: 'plumbline_early_sources',
      help: 'Sources that sent early records within a day.',
      labelNames: ['kind'],
      registers: [],
      async collect() {
        this.reset()
        for (const { kind } of (await clocks()).sources) this.inc({ kind })
      },
    }),
    new Gauge({
      name: 'plumbline_behind_sources',
      help: 'Sources that sent records from before ingest.earliestTime within a day.',
      labelNames: ['kind'],
      registers: [],
      async collect() {
        this.reset()
        for (const { kind } of (await clocks()).behind) this.inc({ kind })
      },
    }),
  ]
}
