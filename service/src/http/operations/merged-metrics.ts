import type { MetricObjectWithValues, MetricValue, Registry } from 'prom-client'

/** The metrics of a process as values, which can be sent to another process. */
export type MetricValues = readonly MetricObjectWithValues<MetricValue<string>>[]

/** What a process measures; without `metrics` it has not replied. */
export type MeasuredProcess = { pid: number; metrics?: MetricValues | undefined }

/**
 * Merges the metrics of workers into those of the first process: counts, times, memory and processor
 * time are summed.
 *
 * Counts never decrease: those of a worker that has ended still belong to the sum.
 */
export class MergedMetrics {
  /** The last metrics of each worker that runs. */
  readonly #last = new Map<number, MetricValues>()
  /** The counts of all workers that have ended. */
  #ended: MetricValues = []

  /** The metrics of all processes in the text format of Prometheus. */
  async text(own: Registry, workers: readonly MeasuredProcess[]): Promise<string> {
    const { AggregatorRegistry } = await import('prom-client')
    const running = new Set(workers.map(({ pid }) => pid))
    for (const [pid, metrics] of this.#last) {
      if (running.has(pid)) continue
      this.#last.delete(pid)
      const merged = AggregatorRegistry.aggregate([this.#ended, metrics.filter(isCount)])
      this.#ended = await merged.getMetricsAsJSON()
    }
    for (const { pid, metrics } of workers) if (metrics !== undefined) this.#last.set(pid, metrics)
    const first = (await own.getMetricsAsJSON()).map(keepFirst)
    return AggregatorRegistry.aggregate([first, ...this.#last.values(), this.#ended]).metrics()
  }
}

const isCount = ({ type }: MetricValues[number]): boolean =>
  String(type) === 'counter' || String(type) === 'histogram'

/** What prom-client leaves out of sums, such as the start of a process, is that of the first one. */
const keepFirst = (metric: MetricValues[number]): MetricValues[number] =>
  metric.aggregator === 'omit' ? { ...metric, aggregator: 'first' } : metric
