import { BATCH_MAXIMUM, type IngestReport } from '@plumbline/contract'
import { mapInSlices } from '../../concurrency/in-slices.ts'
import { INFLUX_ORIGIN } from '../../domain/rejects/reject-origin.ts'
import { RefusedError } from '../../errors/refused-error.ts'
import type { Reject } from '../../storage/storage.ts'
import type { RecordIngest } from '../record-ingest.ts'
import type { Rejects } from '../rejects/rejects.ts'
import type { ReplayOutcome } from '../rejects/replay.ts'
import { parseLineProtocol, type Line } from './line-protocol.ts'
import { isPrecision, type Precision, type ReadPoint } from './point-mapping.ts'
import { visitLines } from './visit-lines.ts'

export type LineProtocolOptions = {
  ingest: Pick<RecordIngest, 'raw' | 'clock'>
  rejects: Pick<Rejects, 'add'>
  readPoint: ReadPoint
}

/**
 * Stores points as raw records; those of one sensor and instant complete each other.
 *
 * Senders such as Telegraf do not read which points were refused: these are kept with the reason.
 */
export async function ingestPoints(
  { ingest, rejects, readPoint }: LineProtocolOptions,
  text: string,
  precision: Precision,
): Promise<IngestReport> {
  const { now: receivedAt } = ingest.clock.arrive()
  // Not their points: of a body of long ones these take hundreds of megabytes.
  const lines: Place[] = []
  const problems = new Map<number, string>()
  const records: { index: number; record: object }[] = []
  await visitLines(text, (line) => {
    const index = lines.push({ line: line.line, text: line.text }) - 1
    if (index === BATCH_MAXIMUM)
      throw new RefusedError('tooLarge', `a body holds at most ${BATCH_MAXIMUM} points`)
    const read = 'point' in line ? readPoint(line.point, precision, receivedAt) : line
    if ('record' in read) records.push({ index, record: read.record })
    else problems.set(index, read.problem)
  })
  const { accepted, replaced, rejected } = await ingest.raw(
    records.map(({ record }) => record),
    { merge: true },
  )
  for (const { index, message } of rejected) problems.set(records[index]!.index, message)

  const failed = [...problems].toSorted(([one], [other]) => one - other)
  const kept = await mapInSlices(failed, ([index, reason]) =>
    toReject(lines[index]!, { reason, precision, receivedAt }),
  )
  if (kept.length > 0) await rejects.add(kept)
  return {
    accepted,
    replaced,
    rejected: await mapInSlices(failed, ([index, message]) => ({
      index,
      message: `line ${lines[index]!.line}: ${message}`,
    })),
  }
}

/** Reads a rejected line with the current settings. */
export async function replayLine(
  ingest: Pick<RecordIngest, 'raw'>,
  readPoint: ReadPoint,
  { context = '', payload, receivedAt }: Reject,
): Promise<ReplayOutcome> {
  const [line] = parseLineProtocol(Buffer.from(payload).toString(), 1)
  if (line === undefined) return { problem: 'there is no point in it' }
  if ('problem' in line) return line
  const read = readPoint(line.point, isPrecision(context) ? context : 'ns', receivedAt)
  if ('problem' in read) return read
  const { rejected } = await ingest.raw([read.record], { merge: true })
  return rejected[0] === undefined ? {} : { problem: rejected[0].message }
}

type Place = Pick<Line, 'line' | 'text'>

const toReject = (
  { line, text }: Place,
  how: { reason: string; precision: Precision; receivedAt: number },
): Reject => ({
  ...INFLUX_ORIGIN,
  place: `line ${line} (${how.precision})`,
  reason: how.reason,
  payload: Buffer.from(text),
  receivedAt: how.receivedAt,
  context: how.precision,
})
