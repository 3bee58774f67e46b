import type { Reject } from '../../storage/storage.ts'
import type { RecordIngest } from '../record-ingest.ts'
import type { ReplayOutcome } from '../rejects/replay.ts'
import { parseContext } from './message-context.ts'
import type { PayloadMapping } from './payload-mapping.ts'

/** Reads a rejected message with the current settings; only its rejected records are stored. */
export async function replayMessage(
  ingest: Pick<RecordIngest, 'raw'>,
  mappings: readonly PayloadMapping[],
  { context, payload, receivedAt }: Reject,
): Promise<ReplayOutcome> {
  const kept = parseContext(context)
  if (kept === undefined) return { problem: 'its topic was not kept' }
  const { topic, indexes } = kept
  for (const mapping of mappings) {
    const reading = mapping.read({ topic, payload, receivedAt })
    if (reading === undefined) continue
    const found = await reading
    if ('problem' in found) return found
    const wanted = found.records.filter((_, index) => indexes?.includes(index) ?? true)
    const problem = wanted.find((one) => 'problem' in one)
    if (problem !== undefined) return problem
    const records = wanted.flatMap((one) => ('record' in one ? [one.record] : []))
    const { rejected } = await ingest.raw(records, { merge: mapping.isMerged })
    return rejected[0] === undefined ? {} : { problem: rejected[0].message }
  }
  return { problem: 'no subscription of the settings means this topic' }
}
