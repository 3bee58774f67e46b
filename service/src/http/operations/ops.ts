import { createServer, type ServerResponse } from 'node:http'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import type { FastifyInstance } from 'fastify'
import type { ClockMonitor } from '../../clock/clock-monitor.ts'
import type { Storage } from '../../storage/storage.ts'
import { collectMetrics, type ServiceStates } from './metrics.ts'
import { guardResponses, safeHeaders } from '../responses/safe-responses.ts'

export type OpsServer = AsyncDisposable & { readonly port: number }

type OpsOptions = {
  host: string
  port: number
  storage: Pick<Storage, 'check'>
  clock: Pick<ClockMonitor, 'findProblem'>
  app: FastifyInstance
  states: ServiceStates
}

/** A further connection is closed: it would take a file from the service. */
const CONNECTIONS = 32

/** A client that takes nothing of its answer for so long is disconnected. */
const STALLED_SECONDS = 60

/** Health and metrics for the machine's own eyes, apart from the interface and without secrets. */
export async function startOps(options: OpsOptions): Promise<OpsServer> {
  const { storage, clock, app, states } = options
  const metrics = await collectMetrics(app, states)
  const responses: Record<string, (response: ServerResponse) => Promise<void>> = {
    '/health/live': async (response) => send(response, 200, { status: 'alive' }),
    '/health/ready': async (response) => {
      const failure = await storage.check().then(
        () => clock.findProblem(),
        (error: Error) => error.message,
      )
      if (failure === undefined) send(response, 200, { status: 'ready' })
      else send(response, 503, { name: 'Unavailable', message: failure })
    },
    '/health/ingest': async (response) =>
      send(response, 200, { sources: states.sources(), folders: states.folders() }),
    '/health/notifications': async (response) =>
      send(response, 200, { channels: await states.channels() }),
    '/health/retention': async (response) => send(response, 200, states.retention()),
    '/health/clocks': async (response) => send(response, 200, await states.clocks()),
    '/metrics': async (response) => {
      response.setHeader('content-type', metrics.contentType)
      response.end(await metrics.text())
    },
  }

  const server = createServer((request, response) => {
    const path = (request.url ?? '/').split('?')[0] ?? '/'
    const answer = Object.hasOwn(responses, path) ? responses[path] : undefined
    if (answer === undefined)
      return send(response, 404, { name: 'NotFound', message: 'There is nothing at this path.' })
    answer(response).catch(() =>
      send(response, 500, { name: 'ServerError', message: 'The service failed to answer.' }),
    )
  })
  server.maxConnections = CONNECTIONS
  server.setTimeout(STALLED_SECONDS * 1000)
  guardResponses(server, safeHeaders(0))
  server.listen(options.port, options.host)
  await once(server, 'listening')
  return {
    port: (server.address() as AddressInfo).port,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}

function send(response: ServerResponse, status: number, body: object): void {
  response.statusCode = status
  response.setHeader('content-type', 'application/json; charset=utf-8')
  response.end(JSON.stringify(body))
}
