import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { ingestPoints as lineProtocolOperation } from '@plumbline/contract'
import type { FastifyRequest } from 'fastify'
import { ingestPoints, type LineProtocolOptions } from '../../ingest/line-protocol/ingest-points.ts'
import type { RecordIngest } from '../../ingest/record-ingest.ts'
import type { RequestCounts } from '../../ingest/rejects/request-counts.ts'
import { withoutMark, type BodyReader } from '../requests/bodies/body-reader.ts'
import { toTextInSlices } from '../requests/bodies/to-text.ts'
import { sendReport } from '../responses/send-report.ts'
import { validatorCompiler } from '../requests/validation.ts'

type LineProtocolRoutesOptions = LineProtocolOptions & {
  ingest: RecordIngest
  bodies: BodyReader
  requests: RequestCounts
}

export const lineProtocolRoutes: FastifyPluginAsyncTypebox<LineProtocolRoutesOptions> = async (
  app,
  { bodies, requests, ...parts },
) => {
  // Clients send line protocol with many media types.
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('*', (request: FastifyRequest) =>
    bodies.read(request, async (bytes) => ({ lines: await toTextInSlices(withoutMark(bytes)) })),
  )
  app.setValidatorCompiler(validatorCompiler)

  app.route({
    ...lineProtocolOperation,
    handler: async ({ body, query, keyTargets, security }, reply) => {
      const ingest = parts.ingest.ofKey(keyTargets)
      const report = await ingestPoints({ ...parts, ingest }, body.lines, query.precision)
      requests.note('influx', security.key ?? '', report)
      return sendReport(reply, report)
    },
  })
}
