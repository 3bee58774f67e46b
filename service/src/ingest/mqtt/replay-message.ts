import type { Reject } from '../../storage/storage.ts'
import type { RecordIngest } from '../record-ingest.ts'
import type { ReplayOutcome } from '../rejects/replay.ts'
import { parseContext } from './message-context.ts'
import { NO_SUBSCRIPTION, type PayloadMapping } from './payload-mapping.ts'

/** Reads a rejected message with the current settings, and stores its rejected records only. */
export async function replayMessage(
  ingest: Pick<RecordIngest, 'raw'>,
  mappings: readonly PayloadMapping[],
  { context, payload, receivedAt }: Reject,
): Promise<ReplayOutcome> {
  const kept = parseContext(context)
  if (kept === undefined) return { problem: 'the topic of the message was not kept' }
  const { topic, indexes } = kept
  for (const mapping of mappings) {
    const reading = mapping.read({ topic, payload, receivedAt })
    if (reading === undefined) continue
    const found = await reading
    if ('problem' in found) return found
    const rejected = found.records.filter((_, index) => indexes?.includes(index) ?? true)
    const problem = rejected.find((one) => 'problem' in one)
    if (problem !== undefined) return problem
    const records = rejected.flatMap((one) => ('record' in one ? [one.record] : []))
    const report = await ingest.raw(records, { replace: mapping.replace })
    const [first] = report.rejected
    return first === undefined ? {} : { problem: first.message }
  }
  return { problem: NO_SUBSCRIPTION }
}
