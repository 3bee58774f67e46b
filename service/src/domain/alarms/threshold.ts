import { formatIntervals, parseIntervals, type Interval } from './interval.ts'
import { RefusedError } from '../../errors/refused-error.ts'
import { show } from '../../errors/show.ts'
import type { ThresholdLevel, ThresholdSlot } from '../site/site-entry.ts'
import { DAY_SECONDS, formatClock, secondOfClock } from '../time/wall-clock.ts'

/** Far more than people set; each is looked at with every record. */
const MOST_INTERVALS = 1000
/** One for each minute of the day. */
const MOST_SLOTS = 1440

const CLOCK = /^([01]\d|2[0-3]):([0-5]\d)(?::([0-5]\d))?$/

/**
 * Checks what a site file says about one item's thresholds.
 *
 * Gives the slots with interval texts and clock times in their canonical form, and a note on each
 * part of the day, or the whole of it, that has no threshold. Refuses anything contradictory with
 * a sentence that begins with its place, such as `config[1].thresholds[0].value`.
 */
export function checkThresholdConfig(
  slots: readonly ThresholdSlot[],
  timeDivision: boolean,
): { slots: ThresholdSlot[]; notes: string[] } {
  if (slots.length > MOST_SLOTS)
    refuse(`config[${MOST_SLOTS}]`, `is one slot too many, expected at most ${MOST_SLOTS}`)
  const checked = slots.map((slot, index) => {
    const place = `config[${index}]`
    const clocks = timeDivision ? checkClocks(slot, place) : checkNoClocks(slot, place)
    return { ...clocks, thresholds: checkLevels(slot.thresholds, place) }
  })
  if (timeDivision) return { slots: checked, notes: gapNotes(checked) }
  if (checked.length > 1) {
    refuse('config[1]', 'is a second slot, expected one for the whole day without time division')
  }
  return { slots: checked, notes: checked.length === 0 ? ['no slot has a threshold'] : [] }
}

/**
 * A slot's clock time as the interface serves it: a date-time string, of 2000-01-01, of which
 * only the clock counts.
 */
export function slotTime(clock: string | null): string | null {
  return clock === null ? null : `2000-01-01 ${clock}`
}

type SlotTimes = Pick<ThresholdSlot, 'startTime' | 'endTime'>

function checkClocks({ startTime, endTime }: SlotTimes, place: string): SlotTimes {
  const start = canonicalClock(startTime, `${place}.startTime`)
  const end = canonicalClock(endTime, `${place}.endTime`)
  if (start === end) refuse(place, `starts and ends at ${start}, expected two different times`)
  return { startTime: start, endTime: end }
}

function checkNoClocks({ startTime, endTime }: SlotTimes, place: string): SlotTimes {
  if (startTime !== null || endTime !== null) {
    refuse(place, 'has a clock time, expected startTime and endTime null without time division')
  }
  return { startTime, endTime }
}

function canonicalClock(clock: string | null, place: string): string {
  const [, hour, minute, second = '00'] = CLOCK.exec(clock ?? '') ?? []
  if (hour !== undefined) return `${hour}:${minute}:${second}`
  return refuse(place, `is ${show(clock)}, expected a clock time such as "22:00:00"`)
}

function checkLevels(levels: readonly ThresholdLevel[], place: string): ThresholdLevel[] {
  const seen = new Set<number>()
  return levels.map(({ level, value }, index) => {
    const levelPlace = `${place}.thresholds[${index}]`
    if (seen.has(level)) {
      refuse(levelPlace, `has level ${level} again, expected its pairs joined by ; in one text`)
    }
    seen.add(level)
    return { level, value: canonicalIntervals(value, `${levelPlace}.value`) }
  })
}

function canonicalIntervals(text: string, place: string): string {
  const intervals = readIntervals(text, place)
  if (intervals.length <= MOST_INTERVALS) return formatIntervals(intervals)
  return refuse(place, `has ${intervals.length} intervals, expected at most ${MOST_INTERVALS}`)
}

function readIntervals(text: string, place: string): Interval[] {
  try {
    return parseIntervals(text)
  } catch (error) {
    if (!(error instanceof RefusedError)) throw error
    return refuse(place, error.message, { cause: error })
  }
}

/** A stretch of one day in seconds, of the slot at `index`. */
type DayRange = { from: number; to: number; index: number }

function gapNotes(slots: readonly SlotTimes[]): string[] {
  const stretches = slots.flatMap(stretchesOf).toSorted((a, b) => a.from - b.from)
  const gaps: { from: number; to: number }[] = []
  let covered = 0
  let last: DayRange | undefined
  for (const stretch of stretches) {
    if (last !== undefined && stretch.from < covered) {
      const [first, second] = [last.index, stretch.index].toSorted((a, b) => a - b)
      refuse(`config[${second}]`, `overlaps config[${first}] at ${clockOf(stretch.from)}`)
    }
    if (stretch.from > covered) gaps.push({ from: covered, to: stretch.from })
    covered = stretch.to
    last = stretch
  }
  if (covered < DAY_SECONDS) gaps.push({ from: covered, to: DAY_SECONDS })
  return joinOverMidnight(gaps).map(
    ({ from, to }) => `no slot has a threshold from ${clockOf(from)} to ${clockOf(to)}`,
  )
}

/** A slot within the day, or the two parts of one that crosses midnight. */
function stretchesOf({ startTime, endTime }: SlotTimes, index: number): DayRange[] {
  const from = secondOfClock(startTime!)
  const to = secondOfClock(endTime!)
  if (from < to) return [{ from, to, index }]
  const late = { from, to: DAY_SECONDS, index }
  return to === 0 ? [late] : [{ from: 0, to, index }, late]
}

function joinOverMidnight(gaps: { from: number; to: number }[]): { from: number; to: number }[] {
  const [first, last] = [gaps[0], gaps.at(-1)]
  if (first?.from !== 0 || last?.to !== DAY_SECONDS) return gaps
  return [...gaps.slice(1, -1), { from: last.from, to: first.to }]
}

function clockOf(secondOfDay: number): string {
  return secondOfDay === DAY_SECONDS ? '24:00:00' : formatClock(secondOfDay)
}

function refuse(place: string, sentence: string, options?: ErrorOptions): never {
  throw new RefusedError('invalid', `${place}: ${sentence}`, options)
}
