import type { FastifyInstance } from 'fastify'
import type { Registry } from 'prom-client'

/** Opens the metrics of a process and of the responses that it makes. */
export async function openProcessMetrics(app: FastifyInstance): Promise<Registry> {
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
  return registry
}
