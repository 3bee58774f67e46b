import type { AlarmType } from '../domain/alarms/alarm-types.ts'
import type { AlarmTransition } from '../domain/alarms/alarm-state.ts'
import type { Zone } from '../domain/time/local-time.ts'
import type { AlarmChange } from '../storage/storage.ts'

/** The parts of an alarm that no transition changes. */
export type AlarmSource = {
  structure: number
  zone: Zone
  source: { id: string; name: string }
  type: AlarmType
}

/** The change of a transition for storage; undefined when it changes nothing. */
export function changeOf(
  transition: AlarmTransition,
  { structure, zone, source, type }: AlarmSource,
): AlarmChange | undefined {
  if (transition.kind === 'none') return undefined
  const { kind, state, isLate } = transition
  const { level, content, count, stateCode, startTime, endTime } = state
  return {
    alarm: {
      structure,
      source,
      sourceType: type.sourceType,
      category: type.category,
      alarmTypeCode: type.code,
      level,
      content,
      count,
      state: stateCode,
      startTime: zone.toLocal(startTime),
      endTime: zone.toLocal(endTime),
    },
    state,
    isNew: kind === 'raised',
    detail:
      kind === 'offDelay'
        ? null
        : { ...transition.detail, time: zone.toLocal(transition.detail.time) },
    isLate,
  }
}
