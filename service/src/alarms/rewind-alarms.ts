import { alarmCode } from '../domain/alarms/alarm-types.ts'
import { isOpen, type AlarmState } from '../domain/alarms/alarm-state.ts'
import type { CatalogueStation } from '../domain/site/catalogue.ts'
import type { AlarmChange, StoredAlarm } from '../storage/storage.ts'
import type { AlarmParts } from './alarm-commits.ts'
import type { AlarmStates } from './alarm-states.ts'
import { findNewestEvaluated, type EvaluatedRecords } from './newest-evaluated.ts'

/** An alarm that was open when records of its station were deleted. */
export type RewoundAlarm = Pick<StoredAlarm, 'id' | 'source' | 'alarmTypeCode' | 'level'> & {
  /** Whether it ended because its records were deleted; otherwise it stays open until the next record. */
  hasEnded: boolean
}

type RewindOptions = {
  stations: readonly CatalogueStation[]
  /** The sponsor of the changes. */
  sponsor: string
  now: number
  /** Why alarms end; left out, their records were deleted. */
  content?: string
  /** A deletion that is not carried out: nothing is changed, and the result says what would change. */
  preview?: DeletionSpans
}

/** By station: the span of the deletion, and the newest record within it that would be left. */
type DeletionSpans = ReadonlyMap<number, { from: number; to: number; newest: number | null }>

/** The content of the transition of an alarm that ends because its records were deleted. */
const RECORDS_DELETED = 'The records that raised this alarm were deleted.'

/** The same for an alarm whose values a person has marked as bad. */
export const VALUES_MARKED = 'The values that raised this alarm were marked as bad.'

/** An instant before every record. */
const NEVER = Number.MIN_SAFE_INTEGER

/**
 * Rewinds the alarms that depend on deleted records, those later than the newest one of their station:
 * alarms that these records raised end, and the next record decides about the others.
 */
export async function rewindAlarms(
  { commits, storage }: AlarmParts,
  { stations, sponsor, now, content = RECORDS_DELETED, preview }: RewindOptions,
): Promise<RewoundAlarm[]> {
  const plan = async (states: AlarmStates) => {
    const changes: AlarmChange[] = []
    const result: RewoundAlarm[] = []
    const newest = await findNewestLeft(storage.records, stations, commits.horizon(), preview)
    for (const [at, station] of stations.entries()) {
      const last = newest[at] ?? NEVER
      for (const [typeCode, state] of states.of(String(station.entry.id)).alarmStates) {
        const rewound = rewind(state, last)
        const alarm = isOpen(state)
          ? await storage.alarms.findOpen(String(station.entry.id), typeCode)
          : undefined
        if (alarm !== undefined)
          result.push({ ...shown(alarm), hasEnded: rewound !== state && !isOpen(rewound) })
        if (rewound === state) continue
        changes.push(changeOf(station, typeCode, { state, rewound, alarm, sponsor, now, content }))
      }
    }
    return { changes, result }
  }
  const sources = stations.map(({ entry }) => String(entry.id))
  if (preview === undefined) return commits.change(sources, plan)
  return (await plan(await commits.read(sources))).result
}

/** The instant of each station's newest record that is evaluated, or of the one that a deletion would leave. */
async function findNewestLeft(
  data: EvaluatedRecords,
  stations: readonly CatalogueStation[],
  horizon: number,
  preview: DeletionSpans | undefined,
): Promise<(number | null)[]> {
  const newest = await findNewestEvaluated(data, stations, horizon)
  if (preview === undefined) return newest
  const left: (number | null)[] = []
  for (const [at, station] of stations.entries()) {
    const time = newest[at] ?? null
    const within = preview.get(station.entry.id)
    if (time === null || within === undefined || time < within.from || time > within.to) {
      left.push(time)
      continue
    }
    if (within.newest === null)
      left.push(...(await findNewestEvaluated(data, [station], Math.min(horizon, within.from - 1))))
    else left.push(Math.min(time, within.newest))
  }
  return left
}

/** The state without the records after `last`; the same object where it depends on none of them. */
function rewind(state: AlarmState, last: number): AlarmState {
  const { violationAt, normalAt, startTime, stateCode } = state
  if (violationAt <= last && (normalAt ?? NEVER) <= last) return state
  const isWithdrawn = isOpen(state) && startTime > last
  return {
    ...state,
    ...(isWithdrawn ? { isWithdrawn, stateCode: 3 } : { stateCode }),
    endTime: Math.max(startTime, Math.min(state.endTime, last)),
    violationAt: Math.min(violationAt, last),
    normalAt: normalAt === null || normalAt > last ? null : normalAt,
    normalCount: 0,
  }
}

type Rewinding = {
  state: AlarmState
  rewound: AlarmState
  alarm: StoredAlarm | undefined
  sponsor: string
  now: number
  content: string
}

function changeOf(
  { entry, structure }: CatalogueStation,
  typeCode: string,
  { state, rewound, alarm, sponsor, now, content: reason }: Rewinding,
): AlarmChange {
  const { zone } = structure
  const { level, content, count, stateCode } = rewound
  const hasEnded = isOpen(state) && !isOpen(rewound)
  return {
    alarm: {
      structure: structure.entry.id,
      source: { id: String(entry.id), name: entry.name },
      sourceType: alarm?.sourceType ?? 2,
      category: alarm?.category ?? 1,
      alarmTypeCode: typeCode,
      level,
      content,
      count,
      state: stateCode,
      startTime: zone.toLocal(rewound.startTime),
      endTime: zone.toLocal(rewound.endTime),
    },
    state: rewound,
    isNew: false,
    detail: hasEnded
      ? {
          sponsor,
          alarmCode: alarmCode(typeCode, level),
          alarmState: stateCode,
          currentLevel: level,
          content: reason,
          time: zone.toLocal(now),
        }
      : null,
    isLate: false,
  }
}

const shown = ({ id, source, alarmTypeCode, level }: StoredAlarm) => ({
  id,
  source,
  alarmTypeCode,
  level,
})
