import { formatIntervals, parseIntervals, type Interval } from './interval.ts'
import { RefusedError } from '../../errors/refused-error.ts'
import { show } from '../../errors/show.ts'
import type { ThresholdLevel, ThresholdSlot } from '../site/site-entry.ts'
import { DAY_SECONDS, formatClock, secondOfClock } from '../time/wall-clock.ts'

/** More intervals would make the evaluation of records slow. */
const INTERVALS_MAXIMUM = 1000
/** One slot for each minute of the day. */
const SLOTS_MAXIMUM = 1440

const CLOCK = /^([01]\d|2[0-3]):([0-5]\d)(?::([0-5]\d))?$/

/**
 * Checks the thresholds of one item in a site file.
 *
 * Returns the slots with interval texts and clock times in canonical form, and a note on each part
 * of the day without a threshold. Refuses contradictions; the error begins with the place, such as
 * `config[1].thresholds[0].value`.
 */
export function checkThresholdConfig(
  slots: readonly ThresholdSlot[],
  timeDivision: boolean,
): { slots: ThresholdSlot[]; notes: string[] } {
  if (slots.length > SLOTS_MAXIMUM)
    refuse(`config[${SLOTS_MAXIMUM}]`, `is one slot too many, expected at most ${SLOTS_MAXIMUM}`)
  if (timeDivision) {
    const divided = checkSlots(slots, checkClocks)
    return { slots: divided, notes: gapNotes(divided) }
  }
  const checked = checkSlots(slots, checkNoClocks)
  if (checked.length > 1) {
    refuse('config[1]', 'is a second slot, expected one for the whole day without time division')
  }
  return { slots: checked, notes: checked.length === 0 ? ['no slot has a threshold'] : [] }
}

/** Returns a slot's clock time as the interface serves it: as a date-time string of 2000-01-01. */
export function slotTime(clock: string | null): string | null {
  return clock === null ? null : `2000-01-01 ${clock}`
}

type SlotTimes = Pick<ThresholdSlot, 'startTime' | 'endTime'>
type ClockTimes = { startTime: string; endTime: string }
type NoTimes = { startTime: null; endTime: null }

function checkSlots<Times extends SlotTimes>(
  slots: readonly ThresholdSlot[],
  checkTimes: (slot: SlotTimes, place: string) => Times,
): (Times & { thresholds: ThresholdLevel[] })[] {
  return slots.map((slot, index) => {
    const place = `config[${index}]`
    const times = checkTimes(slot, place)
    return { ...times, thresholds: checkLevels(slot.thresholds, place) }
  })
}

function checkClocks({ startTime, endTime }: SlotTimes, place: string): ClockTimes {
  const start = canonicalClock(startTime, `${place}.startTime`)
  const end = canonicalClock(endTime, `${place}.endTime`)
  if (start === end) refuse(place, `starts and ends at ${start}, expected two different times`)
  return { startTime: start, endTime: end }
}

function checkNoClocks({ startTime, endTime }: SlotTimes, place: string): NoTimes {
  if (startTime === null && endTime === null) return { startTime, endTime }
  return refuse(
    place,
    'has a clock time, expected startTime and endTime null without time division',
  )
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
  if (intervals.length <= INTERVALS_MAXIMUM) return formatIntervals(intervals)
  return refuse(place, `has ${intervals.length} intervals, expected at most ${INTERVALS_MAXIMUM}`)
}

function readIntervals(text: string, place: string): Interval[] {
  try {
    return parseIntervals(text)
  } catch (error) {
    if (!(error instanceof RefusedError)) throw error
    return refuse(place, error.message, { cause: error })
  }
}

/** A range of seconds of one day that the slot at `index` covers. */
type DayRange = { from: number; to: number; index: number }

function gapNotes(slots: readonly ClockTimes[]): string[] {
  const ranges = slots.flatMap(rangesOf).toSorted((a, b) => a.from - b.from)
  const gaps: { from: number; to: number }[] = []
  let covered = 0
  let last: DayRange | undefined
  for (const range of ranges) {
    if (last !== undefined && range.from < covered) {
      const [first, second] = [last.index, range.index].toSorted((a, b) => a - b)
      refuse(`config[${second}]`, `overlaps config[${first}] at ${clockOf(range.from)}`)
    }
    if (range.from > covered) gaps.push({ from: covered, to: range.from })
    covered = range.to
    last = range
  }
  if (covered < DAY_SECONDS) gaps.push({ from: covered, to: DAY_SECONDS })
  return joinOverMidnight(gaps).map(
    ({ from, to }) => `no slot has a threshold from ${clockOf(from)} to ${clockOf(to)}`,
  )
}

/** The range of a slot, or the two ranges of one that crosses midnight. */
function rangesOf({ startTime, endTime }: ClockTimes, index: number): DayRange[] {
  const from = secondOfClock(startTime)
  const to = secondOfClock(endTime)
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
