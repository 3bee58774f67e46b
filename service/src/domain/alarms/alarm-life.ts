import { alarmCode } from './alarm-types.ts'
import { LIFE, phaseOf, type AlarmState, type Input } from './life-table.ts'
import { isWorse, type Severity } from './alarm-settings.ts'

/**
 * All that has to be remembered of one source and alarm type: its newest alarm, open or closed.
 *
 * Plain JSON; instants are epoch milliseconds. Of a source that never had an alarm there is none.
 */
export type AlarmWatch = Readonly<{
  state: AlarmState
  /** The worst level so far, and the text of the newest record at it. */
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
  /** The newest instant that counted as calm, and how many of them came in a row. */
  calmAt: number | null
  calmRun: number
}>

type RecordEvent = {
  /** The record's own instant. */
  time: number
  /** The newest instant of the source before this record came; `null` when there was none. */
  newest: number | null
}

/** What happens to an alarm. Records without a value of the alarm's items are no event. */
export type AlarmEvent =
  | (RecordEvent & { kind: 'violation'; level: number; items: readonly string[]; content: string })
  | (RecordEvent & { kind: 'near' })
  | (RecordEvent & { kind: 'calm'; content: string })
  | { kind: 'confirm'; time: number; user: string; comment: string }

export type LifeSettings = Readonly<{
  typeCode: string
  severity: Severity
  /** So many calm records in a row clear it, at least one. */
  clearAfter: number
  needsPerson: boolean
}>

/** A step as the interface lists it, with its instant in place of the local time. */
export type AlarmStep = Readonly<{
  sponsor: string
  alarmCode: string
  alarmState: AlarmState
  currentLevel: number
  content: string
  time: number
}>

export type Step = Readonly<{
  /** What to remember; the very object that was given when nothing has changed. */
  watch: AlarmWatch | null
  /** The step to write down, if there is one. */
  detail: AlarmStep | null
  /** Whether the watch is about another alarm now, which needs an id of its own. */
  isNew: boolean
  /** Whether nobody should be told, since the record is older than the newest of its source. */
  isLate: boolean
}>

/** Who stands behind the steps that no person took. */
export const ENGINE_SPONSOR = 'plumbline'

/**
 * Takes one event into account. The same event again changes nothing.
 *
 * What the alarm has from instants beyond the horizon came of a clock that was ahead: the records of
 * today that are not late go on with it as if it had been before them.
 */
export function step(
  known: AlarmWatch | null,
  event: AlarmEvent,
  settings: LifeSettings,
  horizon = Infinity,
): Step {
  const watch = known === null ? null : withinHorizon(known, event, horizon)
  const isLate = isLateEvent(watch, event)
  const input = inputOf(watch, event, isLate, settings)
  const { to, effect } = LIFE[phaseOf(watch?.state)][input]
  const stay: Step = { watch: known, detail: null, isNew: false, isLate }
  // When it began and ended is moved; the instants that counted stay known.
  const moved = (): AlarmWatch => {
    return watch === known
      ? known!
      : { ...watch!, violationAt: known!.violationAt, calmAt: known!.calmAt }
  }

  switch (effect) {
    case 'nothing':
      return stay
    case 'open':
      return write(opened(event as Violation), event, settings, true, isLate)
    case 'count':
      return write(
        counted(moved(), event as Violation, to!, settings),
        event,
        settings,
        false,
        isLate,
      )
    case 'raise':
      return write(raised(moved(), event as Violation, to!), event, settings, false, isLate)
    case 'close':
      return write(closed(moved(), event.time, to!), event, settings, false, isLate)
    case 'startOver':
      return watch!.calmRun === 0 ? stay : { ...stay, watch: { ...known!, calmRun: 0 } }
    case 'countCalm':
      if (watch!.calmRun >= settings.clearAfter) return stay
      return {
        ...stay,
        watch: { ...known!, calmAt: event.time, calmRun: watch!.calmRun + 1 },
      }
  }
}

/** Whether an alarm is one of the interface's `new` ones. */
export function isOpen({ state }: Pick<AlarmWatch, 'state'>): boolean {
  return state < 3
}

type Violation = Extract<AlarmEvent, { kind: 'violation' }>

function isLateEvent(watch: AlarmWatch | null, event: AlarmEvent): boolean {
  if (event.kind === 'confirm') return false
  const { time, newest } = event
  return (newest !== null && time < newest) || (watch !== null && time < watch.violationAt)
}

/** The alarm as if its instants beyond the horizon had been just before an event that is not late. */
function withinHorizon(watch: AlarmWatch, event: AlarmEvent, horizon: number): AlarmWatch {
  const { startTime, endTime, violationAt, calmAt } = watch
  if (Math.max(startTime, endTime, violationAt, calmAt ?? -Infinity) <= horizon) return watch
  const { time } = event
  const start = startTime > horizon ? time : startTime
  const end = endTime > horizon ? Math.max(start, time) : endTime
  if (event.kind === 'confirm') return { ...watch, startTime: start, endTime: end }
  const isLate = event.newest !== null && time < event.newest
  const before = isLate ? time : time - 1
  return {
    ...watch,
    startTime: start,
    endTime: end,
    violationAt: violationAt > horizon ? before : violationAt,
    calmAt: calmAt !== null && calmAt > horizon ? before : calmAt,
  }
}

/** What an event is to the alarm so far: it is here that lateness and repetition are decided. */
function inputOf(
  watch: AlarmWatch | null,
  event: AlarmEvent,
  isLate: boolean,
  { severity, clearAfter, needsPerson }: LifeSettings,
): Input {
  switch (event.kind) {
    case 'confirm':
      return 'confirm'
    case 'near':
      return isLate ? 'known' : 'near'
    case 'calm': {
      const isKnown = isLate || (watch !== null && event.time <= (watch.calmAt ?? -Infinity))
      if (isKnown) return 'known'
      if (watch === null || watch.calmRun + 1 < clearAfter) return 'calm'
      return needsPerson ? 'held' : 'last'
    }
    case 'violation': {
      const isCounted = watch !== null && event.time <= watch.violationAt
      if (watch === null || !isOpen(watch)) return isLate || isCounted ? 'known' : 'violation'
      const isMoreSevere = isWorse(event.level, watch.level, severity)
      if (!isCounted) return isMoreSevere ? 'worse' : 'violation'
      return isMoreSevere && event.time >= watch.startTime ? 'correction' : 'known'
    }
  }
}

function opened({ time, level, items, content }: Violation): AlarmWatch {
  return {
    state: 0,
    level,
    content,
    count: 1,
    startTime: time,
    endTime: time,
    items: [...items],
    violationAt: time,
    calmAt: null,
    calmRun: 0,
  }
}

function counted(
  watch: AlarmWatch,
  event: Violation,
  state: AlarmState,
  { severity }: LifeSettings,
): AlarmWatch {
  const isMilder = isWorse(watch.level, event.level, severity)
  return {
    ...watch,
    state,
    level: isMilder ? watch.level : event.level,
    content: isMilder ? watch.content : event.content,
    count: watch.count + 1,
    endTime: event.time,
    items: together(watch.items, event.items),
    violationAt: event.time,
    calmRun: 0,
  }
}

/** An instant counts once: only the level, and what it is about, become worse. */
function raised(watch: AlarmWatch, event: Violation, state: AlarmState): AlarmWatch {
  const { level, content } = event
  return { ...watch, state, level, content, items: together(watch.items, event.items) }
}

function closed(watch: AlarmWatch, time: number, state: AlarmState): AlarmWatch {
  return { ...watch, state, endTime: Math.max(watch.endTime, time), calmRun: 0 }
}

function together(items: readonly string[], more: readonly string[]): readonly string[] {
  return more.every((item) => items.includes(item)) ? items : [...new Set([...items, ...more])]
}

function write(
  watch: AlarmWatch,
  event: AlarmEvent,
  { typeCode }: LifeSettings,
  isNew: boolean,
  isLate: boolean,
): Step {
  const detail: AlarmStep = {
    sponsor: event.kind === 'confirm' ? event.user : ENGINE_SPONSOR,
    alarmCode: alarmCode(typeCode, watch.level),
    alarmState: watch.state,
    currentLevel: watch.level,
    content: contentOf(event),
    time: event.time,
  }
  return { watch, detail, isNew, isLate }
}

function contentOf(event: AlarmEvent): string {
  if (event.kind === 'confirm') return event.comment
  return event.kind === 'near' ? '' : event.content
}
