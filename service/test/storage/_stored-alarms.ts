import type { AlarmDetail } from '@plumbline/contract'
import type { AlarmChange, Storage, StoredAlarm } from '../../src/storage/storage.ts'

export type AlarmWithSteps = StoredAlarm & { details: readonly AlarmDetail[] }

/** The writer of the alarms of tests. */
const WRITER = 77

/**
 * Stores alarms with their transitions as the service does, which gives ids in a row: the first alarm of
 * a storage is 1. Of an alarm that is stored already the further transitions are added, without which it
 * stays as it is. Each transition gets an entry of the outbox.
 */
export async function storeAlarms(
  { alarms }: Pick<Storage, 'alarms'>,
  given: readonly AlarmWithSteps[],
  { isLate = false, now = Date.now() } = {},
): Promise<void> {
  const sources = [...new Set(given.map(({ source }) => source.id))]
  const stored = new Map((await alarms.loadStates(sources)).map((one) => [one.source, one.version]))
  const changes = await Array.fromAsync(given, async (one) => {
    const before = await alarms.find(one.id)
    const known = before === undefined ? 0 : (await alarms.listDetails(one.id)).length
    return changesOf(one, { isLate, known, before })
  })
  await alarms.write({
    at: new Map(sources.map((one) => [one, stored.get(one) ?? { version: 0, writer: 0 }])),
    bounds: [],
    changes: changes.flat(),
    writer: WRITER,
    now,
  })
}

function changesOf(
  { id: _id, details, ...alarm }: AlarmWithSteps,
  { isLate, known, before }: { isLate: boolean; known: number; before: StoredAlarm | undefined },
): AlarmChange[] {
  const isStored = before !== undefined
  const change = { alarm, state: stateOf(alarm), isLate, isReopened: isStored && before.state >= 3 }
  const added: (AlarmDetail | null)[] = details.slice(known)
  if (added.length === 0 && !isStored) added.push(null)
  return added.map((detail, at) => ({ ...change, detail, isNew: !isStored && at === 0 }))
}

const instant = (local: string): number => Date.parse(`${local.replace(' ', 'T')}Z`)

function stateOf({
  state,
  level,
  content,
  count,
  startTime,
  endTime,
}: AlarmChange['alarm']): AlarmChange['state'] {
  return {
    stateCode: state as AlarmChange['state']['stateCode'],
    level,
    content,
    count,
    startTime: instant(startTime),
    endTime: instant(endTime),
    items: [],
    violationAt: instant(endTime),
    normalAt: null,
    normalCount: 0,
  }
}
