import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { ingestInflux as influxOperation } from '@plumbline/contract'
import type { FastifyRequest } from 'fastify'
import { ingestInflux, type InfluxIntake } from '../../ingest/influx/ingest-influx.ts'
import { validatorCompiler } from '../validation.ts'

export const influxRoutes: FastifyPluginAsyncTypebox<InfluxIntake> = async (app, intake) => {
  // Whatever a sender calls it, the body is lines.
  app.removeAllContentTypeParsers()
  app.addContentTypeParser(
    '*',
    { parseAs: 'string' },
    async (_request: FastifyRequest, body: string) => ({ lines: body.replace(/^\uFEFF/, '') }),
  )
  app.setValidatorCompiler(validatorCompiler)

  app.route({
    ...influxOperation,
    handler: ({ body, query }) => ingestInflux(intake, body.lines, query.precision),
  })
}
