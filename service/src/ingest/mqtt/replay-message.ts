import type { Reject } from '../../storage/storage.ts'
import type { RecordIngest } from '../record-ingest.ts'
import type { ReplayOutcome } from '../rejects/replay.ts'
import { parsePlace } from './failed-records.ts'
import type { PayloadMapping } from './payload-mapping.ts'

/** Sends a refused message through the mapping of today; only what was refused of it is stored. */
export async function replayMessage(
  ingest: Pick<RecordIngest, 'raw'>,
  mappings: readonly PayloadMapping[],
  { place, payload, receivedAt }: Reject,
): Promise<ReplayOutcome> {
  const { topic, indexes } = parsePlace(place)
  for (const mapping of mappings) {
    const reading = mapping.read({ topic, payload, receivedAt })
    if (reading === undefined) continue
    const found = await reading
    if ('problem' in found) return found
    const wanted = found.records.filter((_, index) => indexes?.has(index) ?? true)
    const problem = wanted.find((one) => 'problem' in one)
    if (problem !== undefined) return problem
    const records = wanted.flatMap((one) => ('record' in one ? [one.record] : []))
    const { rejected } = await ingest.raw(records, { merge: mapping.isMerged })
    return rejected[0] === undefined ? {} : { problem: rejected[0].message }
  }
  return { problem: 'no subscription of the settings means this topic' }
}
