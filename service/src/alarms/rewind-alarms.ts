import { alarmCode } from '../domain/alarms/alarm-types.ts'
import { isOpen, type AlarmState } from '../domain/alarms/alarm-lifecycle.ts'
import type { CatalogueStation } from '../domain/site/catalogue.ts'
import type { AlarmChange, RecordStore, StoredAlarm } from '../storage/storage.ts'
import type { AlarmParts } from './alarm-commits.ts'
import type { AlarmStates } from './alarm-states.ts'

/** An alarm that was open when records of its station were deleted. */
export type RewoundAlarm = Pick<StoredAlarm, 'id' | 'source' | 'alarmTypeCode' | 'level'> & {
  /** It ended with the records that raised it; otherwise it stays open, and the next record decides. */
  hasEnded: boolean
}

type Options = {
  stations: readonly CatalogueStation[]
  /** Who deleted the records. */
  sponsor: string
  now: number
  /** What is left of records that are not deleted yet: nothing is changed, and the result says what would be. */
  preview?: DeletionPreview
}

/** By the id of a station: within a span the newest record that it would have left. */
type DeletionPreview = ReadonlyMap<number, { from: number; to: number; newest: number | null }>

/** The content of the last step of an alarm that ended because its records were deleted. */
const RECORDS_DELETED = 'The records that raised this alarm were deleted.'

/** Before every record. */
const NEVER = Number.MIN_SAFE_INTEGER

/**
 * Sets back the alarms that depend on records later than the newest that is left of their station:
 * those that these records raised have ended, and the next record decides about the others.
 */
export async function rewindAlarms(
  { commits, storage }: AlarmParts,
  { stations, sponsor, now, preview }: Options,
): Promise<RewoundAlarm[]> {
  const plan = async (states: AlarmStates) => {
    const changes: AlarmChange[] = []
    const result: RewoundAlarm[] = []
    const newest = await findLeft(storage.records, stations, commits.horizon(), preview)
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
        changes.push(changeOf(station, typeCode, { state, rewound, alarm, sponsor, now }))
      }
    }
    return { changes, result }
  }
  if (preview === undefined) return commits.change(plan)
  return (await plan(await commits.read())).result
}

/** The instant of each station's newest record, as it is or as it would be. */
async function findLeft(
  data: Pick<RecordStore, 'findNewest'>,
  stations: readonly CatalogueStation[],
  horizon: number,
  preview: DeletionPreview | undefined,
): Promise<(number | null)[]> {
  const ids = stations.map(({ entry }) => entry.id)
  const newest = await data.findNewest('theme', ids, horizon)
  if (preview === undefined) return newest
  const left: (number | null)[] = []
  for (const [at, id] of ids.entries()) {
    const time = newest[at]!
    const within = preview.get(id)
    if (time === null || within === undefined || time < within.from || time > within.to) {
      left.push(time)
      continue
    }
    if (within.newest === null)
      left.push(...(await data.findNewest('theme', [id], Math.min(horizon, within.from - 1))))
    else left.push(Math.min(time, within.newest))
  }
  return left
}

/** The same object where nothing of the state depends on a record after the last one. */
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
}

function changeOf(
  { entry, structure }: CatalogueStation,
  typeCode: string,
  { state, rewound, alarm, sponsor, now }: Rewinding,
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
          content: RECORDS_DELETED,
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
