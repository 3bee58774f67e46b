import type { IncomingMessage, ServerResponse } from 'node:http'
import { parse } from 'fast-querystring'
import type { FastifyInstance } from 'fastify'
import { getThemeData } from '@plumbline/contract'
import type { AccessControl } from '../../access/access-control.ts'
import { findHostProblem } from '../requests/broken-requests.ts'
import type { ClientAddress } from '../requests/client-address.ts'
import { interceptRequests } from '../requests/intercept-requests.ts'
import { partReader } from '../requests/validation.ts'
import { describeIdentity, watchIdentity } from '../security/access.ts'
import type { Authenticator } from '../security/authenticate.ts'
import type { IdleConnections } from '../security/idle-connections.ts'
import { nameStructures } from '../security/security-events.ts'
import { CUT_OFF, logFailure } from './error-responses.ts'
import type { ResponseObservers } from './response-observers.ts'
import { themeData, type ThemeSource } from './theme-data.ts'
import { writeJson } from './write-json.ts'

const PATH = `${getThemeData.base}${getThemeData.url}`
const START = `${PATH}?`

type FastPathOptions = {
  app: FastifyInstance
  source: ThemeSource
  authenticator: Authenticator
  access: AccessControl
  idle: IdleConnections
  responses: ResponseObservers
  addressOf: ClientAddress
}

/**
 * Handles `GET /stations/theme/data` without Fastify, which halves its cost: clients send it far more
 * often than any other request.
 *
 * An unusual or refused request is handed to Fastify as if it had just arrived, so that errors are
 * made in one place.
 */
export function installFastPath(options: FastPathOptions): void {
  const { app, source, authenticator, access, idle, responses, addressOf } = options
  const read = partReader(getThemeData.schema.querystring, 'querystring')
  let isClosing = false
  app.addHook('preClose', async () => {
    isClosing = true
  })

  const respond = async (
    url: string,
    request: IncomingMessage,
    response: ServerResponse,
  ): Promise<void> => {
    const start = performance.now()
    const parameters = parse(url.slice(START.length))
    const query = read(parameters)
    if (query.error !== undefined) throw query.error
    const identity = await authenticator.identify({ query: parameters, headers: request.headers })
    const { caller } = identity
    const describe = () => ({
      from: addressOf(request),
      ...describeIdentity(identity),
      method: 'GET',
      route: PATH,
      ...nameStructures(caller.requestedStructures),
    })
    const { scope } = getThemeData.config
    watchIdentity({ access, idle, identity, scope, describe }, request, response)
    await writeJson(
      {
        response,
        acceptEncoding: request.headers['accept-encoding'],
        pool: app.deflatePool,
        begin: () => responses.watch(response, { method: 'GET', route: PATH, start }),
        report: (error) => logFailure(app.log, error, CUT_OFF),
      },
      themeData(caller, query.value, source),
    )
  }

  app.addHook('onReady', async () => {
    interceptRequests(app.server, (fastify) => (request, response) => {
      const { url } = request
      if (isClosing || url === undefined || !isPlain(url, request))
        return fastify(request, response)
      respond(url, request, response).catch(() => fastify(request, response))
    })
  })
}

const isPlain = (url: string, request: IncomingMessage): boolean =>
  request.method === 'GET' &&
  url.startsWith(START) &&
  request.headers['content-length'] === undefined &&
  request.headers['transfer-encoding'] === undefined &&
  findHostProblem(request) === undefined
