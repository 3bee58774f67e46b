import type { IngestReport } from '@plumbline/contract'
import type { FastifyReply } from 'fastify'
import { sendJson } from './send-json.ts'

/** Rejected records of one chunk; a report with more is sent in chunks. */
const CHUNK_RECORDS = 1_000

/** Sends an ingest report, one with many rejected records in chunks. */
export const sendReport = <Report extends IngestReport>(
  reply: FastifyReply,
  report: Report,
): Report | Promise<FastifyReply> =>
  report.rejected.length <= CHUNK_RECORDS ? report : sendJson(reply, reportChunks(report))

async function* reportChunks({ rejected, ...others }: IngestReport): AsyncGenerator<string> {
  yield `${JSON.stringify({ ...others, rejected: [] }).slice(0, -2)}`
  for (let at = 0; at < rejected.length; at += CHUNK_RECORDS) {
    const chunk = JSON.stringify(rejected.slice(at, at + CHUNK_RECORDS)).slice(1, -1)
    yield at === 0 ? chunk : `,${chunk}`
  }
  yield ']}'
}
