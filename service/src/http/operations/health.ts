import { createServer, type ServerResponse } from 'node:http'
import { once } from 'node:events'
import type { FastifyInstance } from 'fastify'
import type { Storage } from '../../storage/storage.ts'
import { checkStorageProblem, findStorageProblem } from '../../storage/storage-problem.ts'
import { describeScheduledBackup } from '../../backup/scheduled-backup-state.ts'
import { describeCopy } from './continuous-copy-metrics.ts'
import { collectMetrics, type ServiceStates } from './metrics.ts'
import type { MeasuredStorage } from './state-metrics.ts'
import { contentHeaders } from '../responses/content-headers.ts'
import { NOT_FOUND, SERVER_ERROR } from '../responses/error-responses.ts'
import { guardResponses } from '../responses/guard-responses.ts'
import { safeHeaders } from '../responses/safe-headers.ts'
import { sendWhole, type WholeResponse } from '../responses/whole-response.ts'

type OpsOptions = {
  host: string
  port: number
  storage: Pick<Storage, 'check' | 'state'> & MeasuredStorage
  /** Why nothing is taken in, as a sentence. */
  findIntakeProblem(): string | undefined
  app: FastifyInstance
  states: ServiceStates
}

/** Further connections are closed, since each one takes an open file. */
const CONNECTIONS = 32

/** A client that reads nothing of its response for this time is disconnected. */
const STALLED_SECONDS = 60

/** Starts the HTTP server of health and metrics; its responses contain no secrets. */
export async function startOps(options: OpsOptions): Promise<AsyncDisposable> {
  const { storage, findIntakeProblem, app, states } = options
  const isReady = () => (findStorageProblem(storage) ?? findIntakeProblem()) === undefined
  const metrics = await collectMetrics(app, { ...states, isReady }, storage)
  const reports: Record<string, () => WholeResponse | Promise<WholeResponse>> = {
    '/health/live': () => ok({ status: 'alive' }),
    '/health/ready': async () => {
      const problem = (await checkStorageProblem(storage)) ?? findIntakeProblem()
      return problem === undefined
        ? ok({ status: 'ready' })
        : { status: 503, body: { name: 'Unavailable', message: problem } }
    },
    '/health/ingest': () => ok({ sources: states.sources(), folders: states.folders() }),
    '/health/notifications': async () => ok({ channels: await states.channels() }),
    '/health/retention': () => ok(states.retention()),
    '/health/disk': () => ok(states.disk()),
    '/health/clocks': async () => ok(await states.clocks()),
    '/health/cameras': async () => ok(await states.cameras()),
    '/health/backup': () =>
      ok({
        scheduled: describeScheduledBackup(states.scheduledBackup(), Date.now()),
        continuous: describeCopy(states.continuousCopy(), Date.now()),
      }),
    '/health/workers': async () => ok((await states.workers()).state),
  }

  const respond = async (path: string, response: ServerResponse): Promise<void> => {
    if (path === '/metrics') {
      const text = await metrics.text()
      response.writeHead(200, contentHeaders({ type: metrics.contentType })).end(text)
      return
    }
    const report = Object.hasOwn(reports, path) ? reports[path] : undefined
    sendWhole(response, report === undefined ? NOT_FOUND : await report())
  }
  const server = createServer((request, response) => {
    const [path = '/'] = (request.url ?? '/').split('?')
    respond(path, response).catch(() => sendWhole(response, SERVER_ERROR))
  })
  server.maxConnections = CONNECTIONS
  server.setTimeout(STALLED_SECONDS * 1000)
  guardResponses(server, safeHeaders(0))
  server.listen(options.port, options.host)
  await once(server, 'listening')
  return {
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}

const ok = (body: object): WholeResponse => ({ status: 200, body })
