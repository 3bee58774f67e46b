import type { Metric } from 'prom-client'
import type { ContinuousCopyState } from '../../backup/continuous/copy-state.ts'

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

/** Metrics of the continuous copy. */
export async function continuousCopyMetrics(
  read: () => ContinuousCopyState | undefined,
): Promise<Metric[]> {
  const { Gauge } = await import('prom-client')
  return [
    new Gauge({
      name: 'plumbline_continuous_copy_timestamp_seconds',
      help: 'Every commit up to this moment is in the continuous copy; 0 before the first copy is whole.',
      registers: [],
      collect() {
        this.set((read()?.copiedThrough ?? 0) / 1000)
      },
    }),
    new Gauge({
      name: 'plumbline_continuous_copy_following',
      help: 'Whether the continuous copy is kept up to date: 1, or 0 while it begins or waits.',
      registers: [],
      collect() {
        const copy = read()
        this.set(copy?.state === 'follows' && copy.problem === undefined ? 1 : 0)
      },
    }),
    new Gauge({
      name: 'plumbline_continuous_copy_written_total',
      help: 'Since the start: copies that were begun (generations), pieces, and their bytes.',
      labelNames: ['what'],
      registers: [],
      collect() {
        const copy = read()
        if (copy === undefined) return
        for (const what of ['generations', 'pieces', 'bytes'] as const)
          this.set({ what }, copy[what])
      },
    }),
  ]
}
