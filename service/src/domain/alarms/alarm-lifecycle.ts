import { alarmCode } from './alarm-types.ts'
import { isMoreSevere, type Severity } from './alarm-settings.ts'
import {
  whileClosed,
  whileOpen,
  type AlarmInput,
  type AlarmStateCode,
  type ViolationInput,
} from './lifecycle-table.ts'

/**
 * All that is kept of one source and alarm type: its newest alarm, open or closed.
 *
 * Plain JSON; instants are epoch milliseconds. A source that never had an alarm has no state.
 */
export type AlarmState = Readonly<{
  stateCode: AlarmStateCode
  /** The most severe level so far, and the text of the newest record at it. */
  level: number
  content: string
  count: number
  startTime: number
  /** The last update: the newest counted record, or the end. */
  endTime: number
  /** The keys of the items that were over a limit in this alarm. */
  items: readonly string[]
  /** The newest instant that counted as an occurrence. */
  violationAt: number
  /** The newest instant that counted as normal, and how many normal ones came in a row. */
  normalAt: number | null
  normalCount: number
  /** It ended because the records that raised it were deleted; they may be restored. */
  isWithdrawn?: boolean
}>

type RecordInstants = {
  /** The record's own instant. */
  time: number
  /** The newest instant of the source before this record came; `null` when there was none. */
  newest: number | null
}

/** What a record means for an alarm. One without a value of the alarm's items is no event. */
export type RecordEvent =
  | (RecordInstants & ViolationInput & { kind: 'violation' })
  | (RecordInstants & { kind: 'deadband' })
  | (RecordInstants & { kind: 'normal'; content: string })

/** What happens to an alarm. */
export type AlarmEvent =
  RecordEvent | { kind: 'confirmation'; time: number; user: string; comment: string }

export type LifecycleSettings = Readonly<{
  typeCode: string
  severity: Severity
  /** The off-delay: so many normal records in a row clear it, at least one. */
  clearAfter: number
  needsPerson: boolean
}>

/** A transition as the interface lists it, with its instant in place of the local time. */
export type TransitionDetail = Readonly<{
  sponsor: string
  alarmCode: string
  alarmState: AlarmStateCode
  currentLevel: number
  content: string
  time: number
}>

/** What an event changed. */
export type AlarmTransition =
  | Readonly<{ kind: 'none' }>
  /** Only the progress of the off-delay; nothing is listed. */
  | Readonly<{ kind: 'offDelay'; state: AlarmState; isLate: boolean }>
  /** `raised` is another alarm, which needs an id of its own. */
  | Readonly<{
      kind: 'raised' | 'repeated' | 'escalated' | 'cleared' | 'confirmed'
      state: AlarmState
      detail: TransitionDetail
      /** Whether the record is older than the newest of its source, so that nobody is notified. */
      isLate: boolean
    }>

/** Who caused the transitions that no person caused. */
export const SERVICE_SPONSOR = 'plumbline'

const KINDS = ['raised', 'repeated', 'escalated', 'cleared', 'confirmed'] as const

const NOTHING: AlarmTransition = Object.freeze({ kind: 'none' })

/**
 * Takes one event into account. The same event again changes nothing.
 *
 * What the alarm has from instants beyond the horizon came from a clock that was ahead: the records of
 * today that are not late go on with it as if it had been before them.
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

  // Only its beginning and end are moved to within the horizon; the instants that counted stay known.
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
      const next = { ...state, normalAt: action.time, normalCount: state.normalCount + 1 }
      return { kind: 'offDelay', state: next, isLate }
    }
  }
}

/** Whether an alarm is one of the interface's `new` ones. */
export function isOpen({ stateCode }: Pick<AlarmState, 'stateCode'>): boolean {
  return stateCode < 3
}

function isLateEvent(state: AlarmState | null, event: AlarmEvent): boolean {
  if (event.kind === 'confirmation') return false
  const { time, newest } = event
  return (newest !== null && time < newest) || (state !== null && time < state.violationAt)
}

/** The alarm as if its instants beyond the horizon had been just before an event that is not late. */
function withinHorizon(state: AlarmState, event: AlarmEvent, horizon: number): AlarmState {
  const { startTime, endTime, violationAt, normalAt } = state
  if (Math.max(startTime, endTime, violationAt, normalAt ?? -Infinity) <= horizon) return state
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
  }
}

/** What an event is to the alarm so far: it is here that lateness and repetition are decided. */
function classify(
  state: AlarmState | null,
  event: AlarmEvent,
  isLate: boolean,
  { severity, clearAfter, needsPerson }: LifecycleSettings,
): AlarmInput {
  const { time } = event
  switch (event.kind) {
    case 'confirmation':
      return { kind: 'confirmation', time }
    case 'deadband':
      return { kind: isLate ? 'stale' : 'deadband' }
    case 'normal': {
      if (isLate || time <= (state?.normalAt ?? -Infinity)) return { kind: 'stale' }
      if (state === null || state.normalCount + 1 < clearAfter) return { kind: 'normal', time }
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

/** An instant counts once: only the level, and what it is about, become more severe. */
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
