import type { MeasureWorkers } from '../http/operations/worker-metrics.ts'
import { measureSelf } from './measure-self.ts'
import { workerCount } from '../startup/worker-count.ts'
import { WorkerPool, type WorkerPoolOptions } from './worker-pool.ts'

type Workers = {
  /** All processes that serve. */
  count: number
  /** Undefined where the first process is the only one. */
  pool: WorkerPool | undefined
  measure: MeasureWorkers
}

/** Prepares the workers of the settings; they start with `start` of the pool. */
export function openWorkers(options: Omit<WorkerPoolOptions, 'workers'>): Workers {
  const count = workerCount(options.config)
  if (count === 1) return { count, pool: undefined, measure: measureAlone }
  const pool = new WorkerPool({ ...options, workers: count })
  return { count, pool, measure: () => pool.measure() }
}

const measureAlone: MeasureWorkers = async () => {
  const worker = { worker: 1, answers: true, connections: null, ...measureSelf() }
  return { state: { wanted: 1, answering: 1, restarts: 0, workers: [worker] }, others: [] }
}
