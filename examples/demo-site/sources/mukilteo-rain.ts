import { readFileSync } from 'node:fs'
import { parseNumber, round } from './records.ts'

export type RainReading = { time: string; tips: number }

type Rain = {
  /** Every reading of the file, in its order. */
  all: RainReading[]
  /** The readings since the region went back to standard time. */
  standardTime: RainReading[]
}

const READINGS_PER_HOUR = 4
const RECENT = 72 * READINGS_PER_HOUR
const ANTECEDENT = 360 * READINGS_PER_HOUR
const INTERCEPT = 3.5
const SLOPE = -0.67

/**
 * The logger's clock went back an hour on 2015-10-01 and not on 2015-11-01: since the first it
 * runs on standard time, and since the second that is local time again.
 */
const STANDARD_TIME_SINCE = '2015-11-01 02:00:00'

/** Year, month, day, hour, minute and inches, separated by blanks and tabs. */
export function readRain(path: string): Rain {
  const lines = readFileSync(path, 'latin1').trimEnd().split(/\r?\n/)
  const all = lines.map((line) => {
    const [year, month, day, hour, minute, inches] = line.trim().split(/\s+/)
    return {
      time: `${year}-${month}-${day} ${hour}:${minute}:00`,
      tips: Math.round(parseNumber(inches) * 100),
    }
  })
  return { all, standardTime: all.slice(firstOfStandardTime(all)) }
}

/**
 * The cumulative threshold P3 = 3.5 - 0.67 P15 in inches: P3 is the rain of the last 72 hours,
 * the present reading included, P15 that of the 360 hours before them (`thresh`, dataanalysis.f90).
 */
export function rainfallThreshold({
  all,
}: Rain): { time: string; p3: number; p15: number; exceedance: number }[] {
  const first = firstOfStandardTime(all)
  const window = RECENT + ANTECEDENT
  assertGapless(all.slice(first - window + 1))

  const sums = [0]
  for (const { tips } of all) sums.push((sums.at(-1) ?? 0) + tips)
  const sum = (from: number, to: number): number => (sums[to] ?? 0) - (sums[from] ?? 0)

  return all.slice(first).map(({ time }, index) => {
    const end = first + index + 1
    const p3 = sum(end - RECENT, end) / 100
    const p15 = sum(end - window, end - RECENT) / 100
    return { time, p3, p15, exceedance: round(p3 - (INTERCEPT + SLOPE * p15), 4) }
  })
}

function firstOfStandardTime(all: readonly RainReading[]): number {
  const first = all.findIndex(({ time }) => time === STANDARD_TIME_SINCE)
  if (first < RECENT + ANTECEDENT) throw new Error('the rain file starts too late')
  return first
}

/** Sums count readings, so a missing one would stretch the window. */
function assertGapless(readings: readonly RainReading[]): void {
  const minutes = readings.map(({ time }) => Date.parse(`${time.replace(' ', 'T')}Z`) / 60_000)
  minutes.forEach((minute, index) => {
    const next = minutes[index + 1]
    if (next !== undefined && next - minute !== 15) {
      throw new Error(`the rain file has a gap after ${readings[index]?.time}`)
    }
  })
}
