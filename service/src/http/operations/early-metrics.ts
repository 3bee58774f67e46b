import type { Metric } from 'prom-client'
import type { BehindSource } from '../../ingest/records/behind-sources.ts'
import type { AheadSource } from '../../ingest/records/clock-state.ts'

/**
 * How many early records of stations wait for their time, whose clocks are ahead, and whose have
 * fallen back behind the earliest time.
 */
export type EarlyState = {
  waiting: number
  sources: readonly AheadSource[]
  behind: readonly BehindSource[]
}

/** Early records as metrics: how many wait, of how many sources, and the largest lead. */
export async function earlyMetrics(clocks: () => Promise<EarlyState>): Promise<Metric[]> {
  const { Gauge } = await import('prom-client')
  return [
    new Gauge({
      name: 'plumbline_early_records',
      help: 'Records of stations that lie ahead of the clock and wait for their time.',
      registers: [],
      async collect() {
        this.set((await clocks()).waiting)
      },
    }),
    new Gauge({
      name: 'plumbline_early_sources',
      help: 'Sources that have sent records ahead of the clock within a day.',
      labelNames: ['kind'],
      registers: [],
      async collect() {
        this.reset()
        for (const { kind } of (await clocks()).sources) this.inc({ kind })
      },
    }),
    new Gauge({
      name: 'plumbline_early_lead_seconds',
      help: 'How far ahead the furthest of them was at most.',
      registers: [],
      async collect() {
        const leads = (await clocks()).sources.map(({ leadSeconds }) => leadSeconds)
        this.set(Math.max(0, ...leads))
      },
    }),
    new Gauge({
      name: 'plumbline_behind_sources',
      help: 'Sources that have sent records from before ingest.earliestTime within a day.',
      labelNames: ['kind'],
      registers: [],
      async collect() {
        this.reset()
        for (const { kind } of (await clocks()).behind) this.inc({ kind })
      },
    }),
  ]
}
