import { quote } from './text-lines.ts'
import { parseClock, startOfClock, type WaveformStart } from './waveform-start.ts'
import { invalid } from './waveform.ts'

/** Recorders on film state when they were triggered, which is when the record begins. */
const START = /(?:start|trigger) time: *(.*)$/i
/** Newer files pad numbers with blanks, as in `10:34: 1.0`. */
const DATE = String.raw`(\d+)\/ *(\d+)\/ *(\d+)`
const CLOCK = String.raw`(\d+): *(\d+): *(\d+)(\.\d*)? *([A-Z]{2,4})\b`
const START_TIME = new RegExp(`^${DATE}, *${CLOCK}`, 'i')
const RECORD_OF = new RegExp(
  String.raw`^\s*(?:Record|Rcrd) of +\w{3} +(\w{3}) +(\d+), *(\d{4}) +${CLOCK}`,
  'i',
)
const YEAR = /, *(\d{4}) /
const MONTHS = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec']
/** Hours by which a zone is behind UTC. */
const HOURS_BEHIND: Readonly<Record<string, number>> = { PST: 8, PDT: 7, UTC: 0, GMT: 0, UT: 0 }

type StartHeader = {
  texts: readonly string[]
  /** The line of the first text. */
  first: number
  /** The year of the start in the integer header; not positive where it is not stated. */
  year: number
}

/**
 * The start of a CSMIP record: `Start time` or `Trigger time` of the text header, or else `Record of`
 * with a zone; undefined without any. One that cannot be read is refused.
 */
export function startOf({ texts, first, year }: StartHeader): WaveformStart | undefined {
  const at = texts.findIndex((text) => START.test(text))
  const [, text = ''] = START.exec(texts[at]?.trimEnd() ?? '') ?? []
  if (/\d/.test(text)) {
    const years = year > 0 ? [year] : yearsAbout(texts)
    const start = parseStartTime(text, years)
    if (start !== undefined) return start
    const of = years.length === 1 ? ` of ${years[0]}` : ''
    throw invalid(
      `line ${first + at}: start time is ${quote(text)}, expected M/D/YY, HH:MM:SS.s UTC${of}`,
    )
  }
  for (const text of texts) {
    const start = parseRecordOf(text)
    if (start !== undefined) return start
  }
  return undefined
}

/** The year that the text names, which may be another one in UTC. */
function yearsAbout(texts: readonly string[]): number[] {
  const year = Number(YEAR.exec(texts.join('\n'))?.[1] ?? 0)
  return year === 0 ? [] : [year, year + 1, year - 1]
}

/** Parses `5/18/09, 03:39:38.0 UTC`; the century is that of one of the years. */
function parseStartTime(text: string, years: readonly number[]): WaveformStart | undefined {
  const [, month, day, year = '', ...clock] = START_TIME.exec(text) ?? []
  const digits = Number(year)
  const found = years.find((one) => one === digits || one % 100 === digits)
  return found === undefined ? undefined : startAt([found, month, day], clock)
}

/** Parses `Record of Sun May 17, 2009 20:39:38.0 PDT`, and the same with `Rcrd of`. */
function parseRecordOf(text: string): WaveformStart | undefined {
  const [, month = '', day, year, ...clock] = RECORD_OF.exec(text) ?? []
  return startAt([year, MONTHS.indexOf(month.toLowerCase()) + 1, day], clock)
}

/** The instant of a date and of a clock time with its fraction and zone. */
function startAt(
  date: readonly (string | number | undefined)[],
  [hour, minute, second, fraction, zone = '']: readonly (string | undefined)[],
): WaveformStart | undefined {
  const hoursBehind = HOURS_BEHIND[zone.toUpperCase()]
  if (hoursBehind === undefined) return undefined
  const clock = parseClock([...date, hour, minute, second])
  const local = startOfClock(clock, nanosecondsOf(fraction))
  return local && { ...local, milliseconds: local.milliseconds + hoursBehind * 3_600_000 }
}

const nanosecondsOf = (fraction = ''): number => Math.round(Number(`0${fraction || '.0'}0`) * 1e9)
