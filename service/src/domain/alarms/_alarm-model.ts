import type { Severity } from './settings.ts'

/** What arrived at a source: over a limit at a level, near, calm, or a person's confirmation. */
export type Arrival = { time: number; kind: { level: number } | 'near' | 'calm' | 'confirm' }

export type ModelAlarm = {
  level: number
  count: number
  state: number
  startTime: number
  endTime: number
  steps: number[]
}

type Settings = { clearAfter: number; needsPerson: boolean; severity: Severity }

/**
 * The alarms of a whole history, told in another way than the engine does: nothing is carried
 * along but what arrived. Each arrival looks back over all that came before it and derives what
 * it needs from lists.
 */
export function replay(
  arrivals: readonly Arrival[],
  { clearAfter, needsPerson, severity }: Settings,
): ModelAlarm[] {
  const rank = (level: number) => (severity === 'lowestFirst' ? -level : level)
  const alarms: Life[] = []

  for (const [index, { time, kind }] of arrivals.entries()) {
    const alarm = alarms.at(-1)
    const isOpen = alarm !== undefined && alarm.end === undefined
    if (kind === 'confirm') {
      if (isOpen) alarm.end = { state: 4, time }
      continue
    }
    const earlier = arrivals.slice(0, index).filter((one) => one.kind !== 'confirm')
    const isLate = earlier.some((one) => one.time > time)
    const occurrences = alarm?.marks.filter((mark) => mark.counts).map((mark) => mark.time) ?? []
    const lastOccurrence = Math.max(-Infinity, ...occurrences)

    if (typeof kind === 'object') {
      const mark = { time, level: kind.level, counts: true, arrived: index }
      if (!isOpen) {
        if (!isLate && time > lastOccurrence) alarms.push({ marks: [mark], calms: [] })
      } else if (time > lastOccurrence) alarm.marks.push(mark)
      else {
        const isWithin = time >= alarm.marks[0]!.time
        const isWorse = alarm.marks.every((one) => rank(one.level) < rank(kind.level))
        if (isWithin && isWorse) alarm.marks.push({ ...mark, counts: false })
      }
      continue
    }
    if (!isOpen || isLate) continue
    if (kind === 'near') {
      alarm.calms = alarm.calms.map((one) => ({ ...one, isOver: true }))
      continue
    }
    if (alarm.calms.some((one) => one.time >= time)) continue
    const lastArrival = Math.max(...alarm.marks.filter((mark) => mark.counts).map((m) => m.arrived))
    const inRow = alarm.calms.filter((one) => !one.isOver && one.arrived > lastArrival)
    if (inRow.length + 1 < clearAfter) alarm.calms.push({ time, arrived: index, isOver: false })
    else if (!needsPerson) alarm.end = { state: 3, time }
  }
  return alarms.map((alarm) => describe(alarm, rank))
}

type Mark = { time: number; level: number; counts: boolean; arrived: number }
type Life = {
  marks: Mark[]
  calms: { time: number; arrived: number; isOver: boolean }[]
  end?: { state: number; time: number }
}

function describe({ marks, end }: Life, rank: (level: number) => number): ModelAlarm {
  const worst = marks.reduce((a, b) => (rank(b.level) > rank(a.level) ? b : a))
  const times = marks.filter((mark) => mark.counts).map(({ time }) => time)
  const steps: number[] = marks.map(({ level }, index) => {
    if (index === 0) return 0
    return marks.slice(0, index).every((one) => rank(one.level) < rank(level)) ? 2 : 1
  })
  if (end !== undefined) steps.push(end.state)
  return {
    level: worst.level,
    count: times.length,
    state: steps.at(-1)!,
    startTime: times[0]!,
    endTime: Math.max(...times, end?.time ?? -Infinity),
    steps,
  }
}
