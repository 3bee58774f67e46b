import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { ingestInflux as influxOperation } from '@plumbline/contract'
import type { FastifyRequest } from 'fastify'
import { ingestInflux, type InfluxIntake } from '../../ingest/influx/ingest-influx.ts'
import { toText, withoutMark, type BodyReader } from '../bodies/body-reader.ts'
import { validatorCompiler } from '../validation.ts'

type Options = InfluxIntake & { bodies: BodyReader }

export const influxRoutes: FastifyPluginAsyncTypebox<Options> = async (
  app,
  { bodies, ...intake },
) => {
  // Whatever a sender calls it, the body is lines.
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('*', (request: FastifyRequest) =>
    bodies.read(request, (bytes) => ({ lines: toText(withoutMark(bytes)) })),
  )
  app.setValidatorCompiler(validatorCompiler)

  app.route({
    ...influxOperation,
    handler: ({ body, query }) => ingestInflux(intake, body.lines, query.precision),
  })
}
