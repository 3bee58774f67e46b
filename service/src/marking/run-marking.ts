import type { AlarmCommits } from '../alarms/alarm-commits.ts'
import type { RestoredAlarm } from '../alarms/restore-alarms.ts'
import type { RewoundAlarm } from '../alarms/rewind-alarms.ts'
import { beginChange, findUnfinished } from '../commit/begin-change.ts'
import type { Storage } from '../storage/storage.ts'
import { countMarkable, markValues, type MarkedCounts, type Marking } from './mark-values.ts'
import type { MarkingDependencies } from './marking-dependencies.ts'
import { settleAlarms } from './settle-alarms.ts'

export type MarkingParts = {
  marking: MarkingDependencies
  /** Commits alarms. */
  commits: AlarmCommits
  storage: Pick<Storage, 'records' | 'changes' | 'alarms'>
}

type MarkingRequest = Omit<Marking, 'change' | 'isResumed'> & {
  /** Distinguishes the change from others; the same one continues an interrupted marking. */
  description: string
  /** The sponsor of changes of alarms. */
  sponsor: string
  now(): number
  /** Receives the number of the change before anything is marked. */
  onBegin?(change: number): Promise<void>
}

/** What was marked, and the alarms that followed. */
export type MarkingResult = {
  /** `null` where nothing was to be marked. */
  change: number | null
  counts: MarkedCounts
  rewound: readonly RewoundAlarm[]
  restored: readonly RestoredAlarm[]
  /** Whether all is marked; otherwise it was stopped. */
  isDone: boolean
}

/** The alarms that ended with the values that raised them. */
export const endedOf = ({ rewound }: Pick<MarkingResult, 'rewound'>) =>
  rewound.flatMap(({ hasEnded, ...alarm }) => (hasEnded ? [alarm] : []))

/** Marks values as one change, with the alarms that follow. */
export async function runMarking(
  { marking, commits, storage }: MarkingParts,
  { description, sponsor, now, onBegin, ...request }: MarkingRequest,
): Promise<MarkingResult> {
  const { changes } = storage
  const subject = { kind: 'marking', description } as const
  const none = { rewound: [], restored: [], isDone: true }
  const counted = await countMarkable(marking, request)
  if (counted.values === 0 && (await findUnfinished(changes, subject)) === undefined)
    return { ...none, change: null, counts: counted }
  const { id: change, isResumed } = await beginChange(changes, subject, now())
  await onBegin?.(change)
  const counts = await markValues(marking, { ...request, change, isResumed })
  if (request.signal?.aborted === true) return { ...none, change, counts, isDone: false }
  const { target, span } = request
  const options = { target, span, sponsor, now: now() }
  const alarms = await settleAlarms({ commits, storage }, await marking.catalogue(), options)
  await changes.finish(change, now())
  return { ...alarms, change, counts, isDone: true }
}
