import type { Metric } from 'prom-client'
import type { MeasuredProcess } from './merged-metrics.ts'

/** A process that serves the interface; 1 is the first process, which starts the others. */
export type WorkerState = {
  worker: number
  pid: number
  /** Whether it has replied a moment ago. */
  answers: boolean
  /** Open connections; null where a single process does not count them. */
  connections: number | null
  memoryBytes: number | null
  cpuSeconds: number | null
}

/** The processes that serve the interface. */
export type WorkersState = {
  wanted: number
  answering: number
  /** How often a worker that had ended was started again. */
  restarts: number
  workers: WorkerState[]
}

/** Measures all processes; those beside the first one with their metrics. */
export type MeasureWorkers = () => Promise<{
  state: WorkersState
  others: readonly MeasuredProcess[]
}>

/** Metrics of the processes that serve the interface. */
export async function workerMetrics(readState: () => WorkersState): Promise<Metric[]> {
  const { Counter, Gauge } = await import('prom-client')
  const perWorker = (
    name: string,
    help: string,
    read: (worker: WorkerState) => number | null,
  ): Metric =>
    new Gauge({
      name,
      help,
      labelNames: ['worker'],
      registers: [],
      collect() {
        this.reset()
        for (const worker of readState().workers) {
          const value = read(worker)
          if (value !== null) this.set({ worker: worker.worker }, value)
        }
      },
    })
  return [
    new Gauge({
      name: 'plumbline_workers',
      help: 'Processes that serve the interface: those of the settings, and those that answer.',
      labelNames: ['state'],
      registers: [],
      collect() {
        const { wanted, answering } = readState()
        this.set({ state: 'wanted' }, wanted)
        this.set({ state: 'answering' }, answering)
      },
    }),
    new Counter({
      name: 'plumbline_worker_restarts_total',
      help: 'How often a worker that had ended was started again.',
      registers: [],
      collect() {
        this.reset()
        this.inc(readState().restarts)
      },
    }),
    perWorker(
      'plumbline_worker_connections',
      'Open connections to the interface by process; worker 1 is the first process.',
      ({ connections }) => connections,
    ),
    perWorker(
      'plumbline_worker_resident_memory_bytes',
      'Resident memory by process.',
      ({ memoryBytes }) => memoryBytes,
    ),
    perWorker(
      'plumbline_worker_cpu_seconds',
      'Processor time by process since its start, in seconds.',
      ({ cpuSeconds }) => cpuSeconds,
    ),
  ]
}
