import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import {
  BATCH_MAXIMUM,
  REPLACEMENTS,
  ingestHeartbeats as heartbeatsOperation,
  ingestRaw as rawOperation,
  ingestTheme as themeOperation,
  ingestTraffic as trafficOperation,
  ingestVibration as vibrationOperation,
  type IngestReport,
  type Operation,
  type Replacement,
} from '@plumbline/contract'
import { RefusedError } from '../../errors/refused-error.ts'
import type { RecordIngest } from '../../ingest/record-ingest.ts'
import { readFileQuery } from '../../ingest/waveforms/read-query.ts'
import type { RequestCounts } from '../../ingest/rejects/request-counts.ts'
import type { BodyReader } from '../requests/bodies/body-reader.ts'
import { ofBody } from '../requests/media-type.ts'
import { memberOf } from '../requests/member-of.ts'
import { Octets, readOctets } from '../requests/bodies/octets.ts'
import { Lines } from '../requests/bodies/read-lines.ts'
import { sendReport } from '../responses/send-report.ts'

type IngestRoutesOptions = { ingest: RecordIngest; bodies: BodyReader; requests: RequestCounts }

export const ingestRoutes: FastifyPluginAsyncTypebox<IngestRoutesOptions> = async (
  app,
  { ingest, bodies, requests },
) => {
  // Ingest checks each record, so that a bad record does not reject the whole batch.
  app.setValidatorCompiler(() => (value) => ({ value }))

  const addBatchRoute = (operation: Operation, member: string, kind: BatchKind): void => {
    app.route({
      ...operation,
      handler: async ({ body, query, keyTargets, security, routeOptions }, reply) => {
        const replace = readReplace(query)
        const report = await ingest.ofKey(keyTargets)[kind](readRecords(body, member), { replace })
        requests.note(originOf(routeOptions.url), security.key ?? '', report)
        return sendReport(reply, report)
      },
    })
  }
  addBatchRoute(themeOperation, 'records', 'theme')
  addBatchRoute(rawOperation, 'records', 'raw')
  addBatchRoute(trafficOperation, 'records', 'traffic')
  addBatchRoute(heartbeatsOperation, 'devices', 'heartbeats')

  // Only this path reads bytes.
  await app.register(async (vibration) => {
    readOctets(vibration, bodies)
    vibration.route({
      ...vibrationOperation,
      handler: async ({ body, query, keyTargets, security, routeOptions }, reply) => {
        const allowed = ingest.ofKey(keyTargets)
        const parameters = typeof query === 'object' && query !== null ? query : {}
        const note = <Report extends IngestReport>(report: Report): Report => {
          requests.note(originOf(routeOptions.url), security.key ?? '', report)
          return report
        }
        if (body instanceof Lines)
          return sendReport(reply, note(await allowed.vibration(limit(body.records))))
        if (body instanceof Octets && isFile(parameters)) {
          return note(await allowed.waveforms(body.bytes, readFileQuery(parameters)))
        }
        const report =
          body instanceof Octets
            ? await allowed.rawSamples(body.bytes, parameters)
            : await allowed.vibration([body])
        const [rejected] = report.rejected
        if (rejected !== undefined) throw ofBody(new RefusedError('invalid', rejected.message))
        return note(report)
      },
    })
  })
}

/** The origin of the records of a path: `http raw`, or `influx`. */
export const originOf = (url = ''): string => {
  const name = url.slice(url.lastIndexOf('/') + 1)
  return name === 'influx' ? name : `http ${name}`
}

/** Bytes are a file when the query names a format, otherwise samples. */
const isFile = (query: object): boolean => Object.hasOwn(query, 'format')

/** The methods of ingest that take a batch of records. */
type BatchKind = 'theme' | 'raw' | 'traffic' | 'heartbeats'

/** What the records replace: values by their keys unless the query says `whole`. */
function readReplace(query: unknown): Replacement {
  const given = memberOf(query, 'replace') ?? 'keys'
  const replace = REPLACEMENTS.find((one) => one === given)
  if (replace !== undefined) return replace
  throw new RefusedError('invalid', `the parameter "replace" must be ${REPLACEMENTS.join(' or ')}`)
}

function readRecords(body: unknown, member: string): readonly unknown[] {
  if (body instanceof Lines) return limit(body.records)
  const records = memberOf(body, member)
  if (Array.isArray(records)) return limit(records)
  const sentence = `the body member "${member}" must be a list of records`
  throw ofBody(new RefusedError('invalid', sentence))
}

/** Refuses a batch that is too long, whose report would be longer still. */
function limit(records: readonly unknown[]): readonly unknown[] {
  if (records.length <= BATCH_MAXIMUM) return records
  throw new RefusedError('invalid', `a batch has at most ${BATCH_MAXIMUM} records`)
}
