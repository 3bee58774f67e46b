import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'
import type { FastifyInstance } from 'fastify'
import { isLong } from '../analysis/analyser.ts'
import { RefusedError } from '../errors/refused-error.ts'
import { openCore, type AppCore } from './app-core.ts'
import { INTERFACE, registerReading } from './register-routes.ts'
import type { AnalyseWaveform } from './requests/analyse-waveform.ts'
import type { IdleConnections } from './security/idle-connections.ts'

/** Passes a request on to the process that answers all operations. */
export type PassOn = (
  request: IncomingMessage,
  response: ServerResponse,
  idle: IdleConnections,
) => void

type ReaderAppOptions = Omit<Parameters<typeof openCore>[0], 'answerError' | 'intercept'> & {
  passOn: PassOn
  publicUrl: string
}

/**
 * Builds the HTTPS application of a worker: it answers the operations that read stored data and passes
 * every other request on.
 *
 * A request that it would refuse is passed on too, so that wrong secrets are counted and errors are
 * made in one place.
 */
export async function buildReaderApp(options: ReaderAppOptions): Promise<FastifyInstance> {
  const passOn = (request: IncomingMessage, response: ServerResponse): void => {
    core.app.responses.forget(response)
    options.passOn(request, response, core.idle)
  }
  const core: AppCore = openCore({
    ...options,
    answerError(_error, request, reply) {
      reply.hijack()
      passOn(request.raw, reply.raw)
    },
    intercept:
      (next): RequestListener =>
      (request, response) =>
        isReading(request) ? next(request, response) : passOn(request, response),
  })
  await registerReading(core.app, { ...options, ...core, analyse: onlyShort(core.analyse) })
  return core.app
}

/** A request without a body, of which nothing is lost when it is passed on later. */
const isReading = ({ method, url = '', headers }: IncomingMessage): boolean =>
  method === 'GET' &&
  url.startsWith(`${INTERFACE}/`) &&
  headers['content-length'] === undefined &&
  headers['transfer-encoding'] === undefined

/** Refuses long analyses, of which one runs at a time: the first process has the queue of all users. */
const onlyShort =
  (analyse: AnalyseWaveform): AnalyseWaveform =>
  async (reply, waveform, name, options) => {
    if (isLong(waveform.count))
      throw new RefusedError('unavailable', 'long analyses run in the first process')
    return analyse(reply, waveform, name, options)
  }
