import type { AlarmEvent } from './alarm-lifecycle.ts'
import type { Severity } from './alarm-settings.ts'

/**
 * What a record is for the alarm of one type: over a limit at a level, within the deadband, normal, or
 * without a value of it, with the text of its transition.
 */
export type Reading = {
  kind: { level: number } | 'deadband' | 'normal' | 'absent'
  content?: string
}

/** A record as it is for thresholds and, where the item has one, for the measuring range. */
export type RecordArrival = Reading & {
  time: number
  range?: Reading
  /** The last instant that was believed when it came; left out: all are. */
  horizon?: number
  /** The instants whose records waited then: they had been sent again ahead of the clock. */
  waiting?: readonly number[]
}

/** A person's confirmation of the newest alarm of the source, or of that of a place from 0 on. */
export type Confirmation = {
  time: number
  kind: 'confirmation'
  alarm: number | 'newest'
  user: string
  comment: string
  horizon?: number
}

export type Arrival = RecordArrival | Confirmation

export type ModelStep = {
  sponsor: string
  alarmState: number
  currentLevel: number
  content: string
  time: number
}

export type ModelAlarm = {
  type: 'threshold' | 'range'
  level: number
  content: string
  count: number
  state: number
  startTime: number
  endTime: number
  steps: ModelStep[]
}

/** What a confirmation comes to: done, the alarm was closed before, or there is no such alarm. */
export type ConfirmOutcome = 'confirmed' | 'closed' | 'absent'

/** An arrival as the engine gets it; `newest` is the instant of the newest record before it. */
export function eventOf(arrival: Arrival, newest: number | null): AlarmEvent {
  const { time, kind } = arrival
  if (kind === 'confirmation') return { kind, time, user: arrival.user, comment: arrival.comment }
  const { content = '' } = arrival
  if (kind === 'deadband') return { kind, time, newest }
  if (kind === 'absent') throw new TypeError('a record without a value is no event')
  if (kind === 'normal') return { kind, time, newest, content }
  return { kind: 'violation', time, newest, level: kind.level, items: ['x'], content }
}

type Settings = {
  clearAfter: number
  clearAfterMinutes?: number
  needsPerson: boolean
  severity: Severity
}

/**
 * The alarms of a whole history, computed in another way than the engine does: nothing is kept
 * but what arrived. Each arrival looks back over all that came before it and derives what
 * it needs from lists.
 */
export function replay(
  arrivals: readonly Arrival[],
  settings: Settings,
): { alarms: ModelAlarm[]; confirmations: ConfirmOutcome[] } {
  const alarms: Life[] = []
  const confirmations: ConfirmOutcome[] = []

  for (const [index, arrival] of arrivals.entries()) {
    if (arrival.kind === 'confirmation') {
      confirmations.push(confirm(alarms, arrival))
      continue
    }
    const { time, horizon = Infinity, waiting = [] } = arrival
    const earlier = arrivals.slice(0, index).filter((one) => one.kind !== 'confirmation')
    const counted = earlier
      .map((one) => one.time)
      .filter((one) => one <= horizon && !waiting.includes(one))
    const about = { index, time, horizon, isLate: Math.max(...counted) > time }
    if (arrival.range !== undefined) follow(alarms, 'range', arrival.range, about, settings)
    follow(alarms, 'threshold', arrival, about, settings)
  }
  const rank = rankOf(settings)
  return { alarms: alarms.map((alarm) => describe(alarm, rank)), confirmations }
}

const rankOf =
  ({ severity }: Settings) =>
  (level: number) =>
    severity === 'lowestFirst' ? -level : level

type About = { index: number; time: number; horizon: number; isLate: boolean }

/** One record for the alarm of one type. */
function follow(
  alarms: Life[],
  type: ModelAlarm['type'],
  { kind, content = '' }: Reading,
  { index, time, horizon, isLate }: About,
  settings: Settings,
): void {
  if (kind === 'absent') return
  const rank = rankOf(settings)
  const alarm = alarms.findLast((one) => one.type === type)
  const isOpen = alarm !== undefined && alarm.end === undefined
  /** What came of a clock that was ahead does not count against a record that is not late. */
  const believed = (one = -Infinity): number => {
    if (one <= horizon) return one
    return isLate ? time : -Infinity
  }
  const lastOccurrence = believed(alarm?.marks.findLast((mark) => mark.counts)?.time)

  if (typeof kind === 'object') {
    const mark = { time, level: kind.level, content, counts: true, arrived: index }
    if (!isOpen) {
      if (!isLate && time > lastOccurrence)
        alarms.push({ type, marks: [mark], normals: [], span: [time, time] })
    } else if (time > lastOccurrence) {
      alarm.marks.push(mark)
      alarm.span = [within(alarm.span, time, horizon)[0], time]
    } else {
      const span = within(alarm.span, time, horizon)
      const isWorse = alarm.marks.every((one) => rank(one.level) < rank(kind.level))
      if (time < span[0] || !isWorse) return
      alarm.marks.push({ ...mark, counts: false })
      alarm.span = span
    }
    return
  }
  if (!isOpen || isLate) return
  if (kind === 'deadband') {
    alarm.normals = alarm.normals.map((one) => ({ ...one, isOver: true }))
    return
  }
  if (believed(alarm.normals.at(-1)?.time) >= time) return
  const lastArrival = Math.max(...alarm.marks.filter((mark) => mark.counts).map((m) => m.arrived))
  const inRow = alarm.normals.filter((one) => !one.isOver && one.arrived > lastArrival)
  const { clearAfter, clearAfterMinutes = 0, needsPerson } = settings
  const first = inRow[0]?.time ?? time
  const since = first <= horizon ? first : time - 1
  const isOver = inRow.length + 1 >= clearAfter && time - since >= clearAfterMinutes * 60_000
  if (isOver && !needsPerson)
    end(alarm, { alarmState: 3, time, sponsor: 'plumbline', content }, horizon)
  else if (!isOver && inRow.length < clearAfter)
    alarm.normals.push({ time, arrived: index, isOver: false })
}

type Mark = { time: number; level: number; content: string; counts: boolean; arrived: number }
type Life = {
  type: ModelAlarm['type']
  marks: Mark[]
  normals: { time: number; arrived: number; isOver: boolean }[]
  /** When it began, and was last updated. */
  span: Span
  end?: Omit<ModelStep, 'currentLevel'>
}
type Span = readonly [start: number, end: number]

/** A span as an arrival sees it: what lies beyond the horizon is moved to the arrival. */
function within([start, last]: Span, time: number, horizon: number): Span {
  const from = start > horizon ? time : start
  return [from, last > horizon ? Math.max(from, time) : last]
}

function end(alarm: Life, step: Omit<ModelStep, 'currentLevel'>, horizon: number): void {
  const [start, last] = within(alarm.span, step.time, horizon)
  alarm.span = [start, Math.max(last, step.time)]
  alarm.end = step
}

/** Ends an alarm for good, whatever the values are; one that has ended stays as it is. */
function confirm(
  alarms: Life[],
  { time, alarm, user, comment, horizon = Infinity }: Confirmation,
): ConfirmOutcome {
  const found = alarm === 'newest' ? alarms.at(-1) : alarms[alarm]
  if (found === undefined) return 'absent'
  if (found.end !== undefined) return 'closed'
  end(found, { alarmState: 4, time, sponsor: user, content: comment }, horizon)
  return 'confirmed'
}

function describe({ type, marks, end, span }: Life, rank: (level: number) => number): ModelAlarm {
  const worstOf = (some: readonly Mark[]) =>
    some.reduce((a, b) => (rank(b.level) < rank(a.level) ? a : b))
  const worst = worstOf(marks)
  const steps = marks.map(({ level, content, time }, index): ModelStep => {
    const isWorse = marks.slice(0, index).every((one) => rank(one.level) < rank(level))
    const alarmState = index === 0 ? 0 : isWorse ? 2 : 1
    const currentLevel = worstOf(marks.slice(0, index + 1)).level
    return { sponsor: 'plumbline', alarmState, currentLevel, content, time }
  })
  if (end !== undefined) steps.push({ ...end, currentLevel: worst.level })
  return {
    type,
    level: worst.level,
    content: worst.content,
    count: marks.filter((mark) => mark.counts).length,
    state: steps.at(-1)!.alarmState,
    startTime: span[0],
    endTime: span[1],
    steps,
  }
}
