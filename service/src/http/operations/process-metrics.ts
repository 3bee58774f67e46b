import type { FastifyInstance } from 'fastify'
import type { Registry } from 'prom-client'
import type { Storage } from '../../storage/storage.ts'
import { makeGauges } from './plain-metrics.ts'

type MeasuredRecords = { records: Pick<Storage['records'], 'measureKept'> }

/** Opens the metrics of a process, of the responses that it makes and of the open days that it keeps. */
export async function openProcessMetrics(
  app: FastifyInstance,
  { records }: MeasuredRecords,
): Promise<Registry> {
  const { collectDefaultMetrics, Counter, Histogram, Registry } = await import('prom-client')
  const registry = new Registry()
  collectDefaultMetrics({ register: registry, prefix: 'plumbline_' })
  const requests = new Counter({
    name: 'plumbline_http_requests_total',
    help: 'Responses by method, route and status.',
    labelNames: ['method', 'route', 'status'],
    registers: [registry],
  })
  const duration = new Histogram({
    name: 'plumbline_http_request_duration_seconds',
    help: 'Seconds from the request to the end of its response.',
    labelNames: ['route'],
    buckets: [0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 5, 30],
    registers: [registry],
  })
  app.responses.observe(({ method, route, status, milliseconds }) => {
    requests.inc({ method, route, status })
    duration.observe({ route }, milliseconds / 1000)
  })
  const kept = await makeGauges([
    [
      'plumbline_open_day_cache_bytes',
      'Bytes of compressed records of open days in memory.',
      () => records.measureKept().bytes,
    ],
  ])
  const reads = new Counter({
    name: 'plumbline_open_day_reads_total',
    help: 'Records of open days that were sent from memory, or read from the database to be kept.',
    labelNames: ['from'],
    registers: [],
    collect() {
      this.reset()
      const { hits, misses } = records.measureKept()
      this.inc({ from: 'memory' }, hits)
      this.inc({ from: 'database' }, misses)
    },
  })
  for (const metric of [...kept, reads]) registry.registerMetric<string>(metric)
  return registry
}
