import {
  isOpen,
  type AlarmState,
  type AlarmTransition,
  type TransitionDetail,
} from './alarm-state.ts'
import { alarmCode } from './alarm-types.ts'
import { isMoreSevere, type Severity } from './alarm-settings.ts'
import {
  whileClosed,
  whileOpen,
  type AlarmInput,
  type AlarmStateCode,
  type ViolationInput,
} from './lifecycle-table.ts'

type RecordInstants = {
  /** The record's own instant. */
  time: number
  /** The newest instant of the source before this record; `null` if there is none. */
  newest: number | null
}

/** The event that a record is for an alarm. A record without values of its items is no event. */
export type RecordEvent =
  | (RecordInstants & ViolationInput & { kind: 'violation' })
  | (RecordInstants & { kind: 'deadband' })
  | (RecordInstants & { kind: 'normal'; content: string })

/** A record or a confirmation. */
export type AlarmEvent =
  RecordEvent | { kind: 'confirmation'; time: number; user: string; comment: string }

export type LifecycleSettings = Readonly<{
  typeCode: string
  severity: Severity
  /** The off-delay: the number of normal records in a row that clear it, at least 1. */
  clearAfter: number
  /** The minutes in which they must have been normal; left out: 0. */
  clearAfterMinutes?: number
  needsPerson: boolean
}>

/** The sponsor of transitions that no person caused. */
export const SERVICE_SPONSOR = 'plumbline'

const MINUTE_MS = 60_000

const KINDS = ['raised', 'repeated', 'escalated', 'cleared', 'confirmed'] as const

const NOTHING: AlarmTransition = Object.freeze({ kind: 'none' })

/**
 * Applies an event to an alarm. The same event again changes nothing.
 *
 * Instants beyond the horizon come from a clock that was ahead. Records that are not late continue
 * such an alarm as if those instants were just before them.
 */
export function applyEvent(
  state: AlarmState | null,
  event: AlarmEvent,
  settings: LifecycleSettings,
  horizon = Infinity,
): AlarmTransition {
  const seen = state === null ? null : withinHorizon(state, event, horizon)
  const isLate = isLateEvent(seen, event)
  const input = classify(seen, event, isLate, settings)
  const list = (next: AlarmState): AlarmTransition => ({
    kind: KINDS[next.stateCode],
    state: next,
    detail: describe(next, event, settings),
    isLate,
  })

  if (state === null || seen === null || !isOpen(state)) {
    const action = whileClosed(input)
    return action.effect === 'none' ? NOTHING : list(raise(action.violation))
  }

  // Only start and end are moved to within the horizon; counted instants stay in the state.
  const { startTime, endTime } = seen
  const moved = (): AlarmState => (seen === state ? state : { ...state, startTime, endTime })
  const action = whileOpen(input)
  switch (action.effect) {
    case 'none':
      return NOTHING
    case 'count':
      return list(count(moved(), action.violation, action.stateCode, settings))
    case 'escalate':
      return list(escalate(moved(), action.violation, action.stateCode))
    case 'close':
      return list(close(moved(), action.time, action.stateCode))
    case 'restartOffDelay':
      if (state.normalCount === 0) return NOTHING
      return { kind: 'offDelay', state: { ...state, normalCount: 0 }, isLate }
    case 'countNormal': {
      if (state.normalCount >= settings.clearAfter) return NOTHING
      const { normalCount, normalSince } = state
      const since = normalCount === 0 ? action.time : normalSince
      const next = {
        ...state,
        normalAt: action.time,
        normalCount: normalCount + 1,
        ...(since === undefined ? {} : { normalSince: since }),
      }
      return { kind: 'offDelay', state: next, isLate }
    }
  }
}

function isLateEvent(state: AlarmState | null, event: AlarmEvent): boolean {
  if (event.kind === 'confirmation') return false
  const { time, newest } = event
  return (newest !== null && time < newest) || (state !== null && time < state.violationAt)
}

/** Moves the instants beyond the horizon to just before an event that is not late. */
function withinHorizon(state: AlarmState, event: AlarmEvent, horizon: number): AlarmState {
  const { startTime, endTime, violationAt, normalAt, normalSince } = state
  const latest = Math.max(startTime, endTime, violationAt, normalAt ?? 0, normalSince ?? 0)
  if (latest <= horizon) return state
  const { time } = event
  const start = startTime > horizon ? time : startTime
  const end = endTime > horizon ? Math.max(start, time) : endTime
  if (event.kind === 'confirmation') return { ...state, startTime: start, endTime: end }
  const isLate = event.newest !== null && time < event.newest
  const before = isLate ? time : time - 1
  return {
    ...state,
    startTime: start,
    endTime: end,
    violationAt: violationAt > horizon ? before : violationAt,
    normalAt: normalAt !== null && normalAt > horizon ? before : normalAt,
    ...(normalSince === undefined
      ? {}
      : { normalSince: normalSince > horizon ? before : normalSince }),
  }
}

/** Classifies an event for the alarm so far, with regard to lateness and repetition. */
function classify(
  state: AlarmState | null,
  event: AlarmEvent,
  isLate: boolean,
  settings: LifecycleSettings,
): AlarmInput {
  const { severity, needsPerson } = settings
  const { time } = event
  switch (event.kind) {
    case 'confirmation':
      return { kind: 'confirmation', time }
    case 'deadband':
      return { kind: isLate ? 'stale' : 'deadband' }
    case 'normal': {
      if (isLate || time <= (state?.normalAt ?? -Infinity)) return { kind: 'stale' }
      if (state === null || !isOffDelayOver(state, time, settings)) return { kind: 'normal', time }
      return { kind: needsPerson ? 'latched' : 'returnToNormal', time }
    }
    case 'violation': {
      const isCounted = state !== null && time <= state.violationAt
      if (state === null || !isOpen(state))
        return isLate || isCounted ? { kind: 'stale' } : { kind: 'violation', violation: event }
      const isEscalation = isMoreSevere(event.level, state.level, severity)
      if (!isCounted) return { kind: isEscalation ? 'escalation' : 'violation', violation: event }
      return isEscalation && time >= state.startTime
        ? { kind: 'correction', violation: event }
        : { kind: 'stale' }
    }
  }
}

/** Whether a normal record completes the number of normal records in a row, and their time. */
function isOffDelayOver(
  { normalCount, normalAt, normalSince }: AlarmState,
  time: number,
  { clearAfter, clearAfterMinutes = 0 }: LifecycleSettings,
): boolean {
  const since = normalCount === 0 ? time : (normalSince ?? normalAt ?? time)
  return normalCount + 1 >= clearAfter && time - since >= clearAfterMinutes * MINUTE_MS
}

function raise({ time, level, items, content }: ViolationInput): AlarmState {
  return {
    stateCode: 0,
    level,
    content,
    count: 1,
    startTime: time,
    endTime: time,
    items: [...items],
    violationAt: time,
    normalAt: null,
    normalCount: 0,
  }
}

function count(
  state: AlarmState,
  { time, level, items, content }: ViolationInput,
  stateCode: AlarmStateCode,
  { severity }: LifecycleSettings,
): AlarmState {
  const isMilder = isMoreSevere(state.level, level, severity)
  return {
    ...state,
    stateCode,
    level: isMilder ? state.level : level,
    content: isMilder ? state.content : content,
    count: state.count + 1,
    endTime: time,
    items: union(state.items, items),
    violationAt: time,
    normalCount: 0,
  }
}

/** An instant counts once: only the level, the content and the items change. */
function escalate(
  state: AlarmState,
  { level, items, content }: ViolationInput,
  stateCode: AlarmStateCode,
): AlarmState {
  return { ...state, stateCode, level, content, items: union(state.items, items) }
}

function close(state: AlarmState, time: number, stateCode: AlarmStateCode): AlarmState {
  return { ...state, stateCode, endTime: Math.max(state.endTime, time), normalCount: 0 }
}

function union(items: readonly string[], more: readonly string[]): readonly string[] {
  return more.every((item) => items.includes(item)) ? items : [...new Set([...items, ...more])]
}

function describe(
  { stateCode, level }: AlarmState,
  event: AlarmEvent,
  { typeCode }: LifecycleSettings,
): TransitionDetail {
  return {
    sponsor: event.kind === 'confirmation' ? event.user : SERVICE_SPONSOR,
    alarmCode: alarmCode(typeCode, level),
    alarmState: stateCode,
    currentLevel: level,
    content: contentOf(event),
    time: event.time,
  }
}

function contentOf(event: AlarmEvent): string {
  if (event.kind === 'confirmation') return event.comment
  return event.kind === 'deadband' ? '' : event.content
}
