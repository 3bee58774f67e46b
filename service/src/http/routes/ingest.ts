import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import {
  BATCH_MAXIMUM,
  ingestHeartbeats as heartbeatsOperation,
  ingestRaw as rawOperation,
  ingestTheme as themeOperation,
  ingestTraffic as trafficOperation,
  ingestVibration as vibrationOperation,
  type IngestReport,
  type Operation,
} from '@plumbline/contract'
import { RefusedError } from '../../errors/refused-error.ts'
import type { RecordIngest } from '../../ingest/record-ingest.ts'
import { readFileQuery } from '../../ingest/waveforms/read-query.ts'
import type { RequestCounts } from '../../ingest/rejects/request-counts.ts'
import type { BodyReader } from '../requests/bodies/body-reader.ts'
import { Octets, readOctets } from '../requests/bodies/octets.ts'
import { Lines } from '../requests/bodies/read-lines.ts'
import { sendReport } from '../responses/send-report.ts'

type Options = { ingest: RecordIngest; bodies: BodyReader; requests: RequestCounts }

export const ingestRoutes: FastifyPluginAsyncTypebox<Options> = async (
  app,
  { ingest, bodies, requests },
) => {
  // Each record is checked by ingest: a bad one must not reject the good ones.
  app.setValidatorCompiler(() => (value) => ({ value }))

  const list = (operation: Operation, member: string, store: Store): void => {
    app.route({
      ...operation,
      handler: async ({ body, security, routeOptions }, reply) => {
        const report = await store(readRecords(body, member))
        requests.note(originOf(routeOptions.url), security.key ?? '', report)
        return sendReport(reply, report)
      },
    })
  }
  list(themeOperation, 'records', (records) => ingest.theme(records))
  list(rawOperation, 'records', (records) => ingest.raw(records))
  list(trafficOperation, 'records', (records) => ingest.traffic(records))
  list(heartbeatsOperation, 'devices', (devices) => ingest.heartbeats(devices))

  // Of all paths only this one reads bare samples.
  await app.register(async (waves) => {
    readOctets(waves, bodies)
    waves.route({
      ...vibrationOperation,
      handler: async ({ body, query, security, routeOptions }, reply) => {
        const note = <Report extends IngestReport>(report: Report): Report => {
          requests.note(originOf(routeOptions.url), security.key ?? '', report)
          return report
        }
        if (body instanceof Lines)
          return sendReport(reply, note(await ingest.vibration(limit(body.records))))
        if (body instanceof Octets && isFile(query)) {
          const { samples: _, ...report } = await ingest.waveforms(body.bytes, readFileQuery(query))
          return note(report)
        }
        const report =
          body instanceof Octets
            ? await ingest.rawSamples(body.bytes, query as object)
            : await ingest.vibration([body])
        const [refused] = report.rejected
        if (refused !== undefined) throw new RefusedError('invalid', refused.message)
        return note(report)
      },
    })
  })
}

/** What a path of ingest is called among the sources. */
export const originOf = (url = ''): string => {
  const way = url.slice(url.lastIndexOf('/') + 1)
  return way === 'influx' ? way : `http ${way}`
}

/** Bytes are a file where the query names a format, and else bare samples. */
const isFile = (query: unknown): query is object => Object.hasOwn(query as object, 'format')

type Store = (records: readonly unknown[]) => Promise<IngestReport>

function readRecords(body: unknown, member: string): readonly unknown[] {
  if (body instanceof Lines) return limit(body.records)
  const records = (body as Record<string, unknown> | null | undefined)?.[member]
  if (Array.isArray(records)) return limit(records)
  throw new RefusedError('invalid', `the body member "${member}" must be a list of records`)
}

/** A batch that is far too long would make a report that is far longer. */
function limit(records: readonly unknown[]): readonly unknown[] {
  if (records.length <= BATCH_MAXIMUM) return records
  throw new RefusedError('invalid', `a batch holds at most ${BATCH_MAXIMUM} records`)
}
