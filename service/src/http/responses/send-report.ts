import type { IngestReport } from '@plumbline/contract'
import type { FastifyReply } from 'fastify'
import { sendJson } from './send-json.ts'

/** So many rejected records are written at once; a report of no more is sent like other answers. */
const REJECTED_AT_ONCE = 1_000

/** Answers with a report; one of very many rejected records is written and sent in parts. */
export const sendReport = <Report extends IngestReport>(
  reply: FastifyReply,
  report: Report,
): Report | Promise<FastifyReply> =>
  report.rejected.length <= REJECTED_AT_ONCE ? report : sendJson(reply, reportTexts(report))

async function* reportTexts({ rejected, ...others }: IngestReport): AsyncGenerator<string> {
  yield `${JSON.stringify({ ...others, rejected: [] }).slice(0, -2)}`
  for (let at = 0; at < rejected.length; at += REJECTED_AT_ONCE) {
    const part = JSON.stringify(rejected.slice(at, at + REJECTED_AT_ONCE)).slice(1, -1)
    yield at === 0 ? part : `,${part}`
  }
  yield ']}'
}
