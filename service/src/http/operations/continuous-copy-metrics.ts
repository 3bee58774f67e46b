import type { Metric } from 'prom-client'
import type { ContinuousCopyState } from '../../backup/continuous/copy-state.ts'
import { makeGauges } from './plain-metrics.ts'

/** The continuous copy for people: moments as texts, and the age of what it holds. */
export function describeCopy(copy: ContinuousCopyState | undefined, now: number): object {
  if (copy === undefined) return { state: 'off' }
  const { copiedThrough, ...rest } = copy
  if (copiedThrough === undefined) return rest
  return {
    ...rest,
    copiedThrough: new Date(copiedThrough).toISOString(),
    secondsBehind: Math.max(0, (now - copiedThrough) / 1000),
  }
}

/** Metrics of the continuous copy; without values where there is none. */
export async function continuousCopyMetrics(
  read: () => ContinuousCopyState | undefined,
): Promise<Metric[]> {
  const { Counter } = await import('prom-client')
  const gauges = await makeGauges([
    [
      'plumbline_continuous_copy_timestamp_seconds',
      'Every commit up to this moment is in the continuous copy; 0 before the first copy is whole.',
      () => {
        const copy = read()
        return copy && (copy.copiedThrough ?? 0) / 1000
      },
    ],
    [
      'plumbline_continuous_copy_following',
      '1 while the continuous copy is kept up to date, 0 while it begins or waits.',
      () => {
        const copy = read()
        return copy && (copy.state === 'follows' ? 1 : 0)
      },
    ],
  ])
  const written = new Counter({
    name: 'plumbline_continuous_copy_written_total',
    help: 'Since the start: copies that were begun (generations), pieces, and their bytes.',
    labelNames: ['what'],
    registers: [],
    collect() {
      this.reset()
      const copy = read()
      if (copy === undefined) return
      for (const what of ['generations', 'pieces', 'bytes'] as const) this.inc({ what }, copy[what])
    },
  })
  return [...gauges, written]
}
