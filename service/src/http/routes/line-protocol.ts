import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { ingestInflux as influxOperation } from '@plumbline/contract'
import type { FastifyRequest } from 'fastify'
import { ingestInflux, type InfluxIntake } from '../../ingest/line-protocol/ingest-points.ts'
import type { RequestCounts } from '../../ingest/rejects/request-counts.ts'
import { withoutMark, type BodyReader } from '../requests/bodies/body-reader.ts'
import { toTextInSlices } from '../requests/bodies/to-text.ts'
import { sendReport } from '../responses/send-report.ts'
import { validatorCompiler } from '../requests/validation.ts'

type Options = InfluxIntake & { bodies: BodyReader; requests: RequestCounts }

export const influxRoutes: FastifyPluginAsyncTypebox<Options> = async (
  app,
  { bodies, requests, ...intake },
) => {
  // Whatever a sender calls it, the body is lines.
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('*', (request: FastifyRequest) =>
    bodies.read(request, async (bytes) => ({ lines: await toTextInSlices(withoutMark(bytes)) })),
  )
  app.setValidatorCompiler(validatorCompiler)

  app.route({
    ...influxOperation,
    handler: async ({ body, query, security }, reply) => {
      const report = await ingestInflux(intake, body.lines, query.precision)
      requests.note('influx', security.key ?? '', report)
      return sendReport(reply, report)
    },
  })
}
