import {
  BATCH_MAXIMUM,
  REPLACEMENTS,
  type IngestReport,
  type Replacement,
} from '@plumbline/contract'
import { mapInSlices } from '../../concurrency/in-slices.ts'
import { INFLUX_ORIGIN } from '../../domain/rejects/reject-origin.ts'
import { RefusedError } from '../../errors/refused-error.ts'
import type { Reject } from '../../storage/storage.ts'
import type { RecordIngest } from '../record-ingest.ts'
import { rejectedRow } from '../records/report.ts'
import type { RejectWriter } from '../rejects/reject-writer.ts'
import type { ReplayOutcome } from '../rejects/replay.ts'
import { parseLineProtocol, type ProtocolLine } from './line-protocol.ts'
import { isPrecision, type Precision, type ReadPoint } from './point-mapping.ts'
import { visitLines } from './visit-lines.ts'

export type LineProtocolOptions = {
  ingest: Pick<RecordIngest, 'raw' | 'clock'>
  rejects: Pick<RejectWriter, 'add'>
  readPoint: ReadPoint
}

/**
 * Stores points as raw records; those of one sensor and instant complete each other, unless their
 * mapping replaces records whole.
 *
 * Senders such as Telegraf do not read which points were rejected: these become rejects.
 */
export async function ingestPoints(
  { ingest, rejects, readPoint }: LineProtocolOptions,
  text: string,
  precision: Precision,
): Promise<IngestReport> {
  const { now: receivedAt } = ingest.clock.arrive()
  let count = 0
  // Records and lines without their points, which would take hundreds of megabytes.
  const points: Record<Replacement, ReadLine[]> = { keys: [], whole: [] }
  const failed: (NumberedLine & { reason: string })[] = []
  await visitLines(text, (line) => {
    const numbered = { index: count++, line: line.line, text: line.text }
    if (count > BATCH_MAXIMUM)
      throw new RefusedError('tooLarge', `a body holds at most ${BATCH_MAXIMUM} points`)
    const read = 'point' in line ? readPoint(line.point, precision, receivedAt) : line
    if ('record' in read) points[read.replace].push({ ...numbered, record: read.record })
    else failed.push({ ...numbered, reason: read.problem })
  })
  const sum = { accepted: 0, replaced: 0 }
  for (const replace of REPLACEMENTS) {
    const lines = points[replace]
    if (lines.length === 0) continue
    const records = lines.map(({ record }) => record)
    const { accepted, replaced, rejected } = await ingest.raw(records, { replace })
    sum.accepted += accepted
    sum.replaced += replaced
    for (const { index, message: reason } of rejected)
      failed.push({ ...rejectedRow(lines, index), reason })
  }
  failed.sort((one, other) => one.index - other.index)
  const kept = await mapInSlices(failed, ({ line, text, reason }): Reject => ({
    ...INFLUX_ORIGIN,
    place: `line ${line} (${precision})`,
    reason,
    payload: Buffer.from(text),
    receivedAt,
    context: precision,
  }))
  if (kept.length > 0) await rejects.add(kept)
  const toRejection = ({ index, line, reason }: (typeof failed)[number]) => ({
    index,
    message: `line ${line}: ${reason}`,
  })
  return { ...sum, rejected: await mapInSlices(failed, toRejection) }
}

type NumberedLine = { index: number } & Pick<ProtocolLine, 'line' | 'text'>
/** A line whose point became a record. */
type ReadLine = NumberedLine & { record: object }

/** Reads a rejected line with the current settings. */
export async function replayLine(
  ingest: Pick<RecordIngest, 'raw'>,
  readPoint: ReadPoint,
  { context = '', payload, receivedAt }: Reject,
): Promise<ReplayOutcome> {
  if (!isPrecision(context)) return { problem: 'the precision of the line was not kept' }
  const [line] = parseLineProtocol(Buffer.from(payload).toString(), 1)
  if (line === undefined) return { problem: 'the line has no point' }
  if ('problem' in line) return line
  const read = readPoint(line.point, context, receivedAt)
  if ('problem' in read) return read
  const { rejected } = await ingest.raw([read.record], { replace: read.replace })
  const [first] = rejected
  return first === undefined ? {} : { problem: first.message }
}
