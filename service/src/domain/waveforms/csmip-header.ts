import { readColumns } from './fixed-columns.ts'
import { quote, type TextLines } from './text-lines.ts'
import { parseClock, startOfClock, type WaveformStart } from './waveform-start.ts'
import { invalid } from './waveform.ts'

/** The contents of the lines before a channel's first block of values. */
export type CsmipHeader = {
  volume: 1 | 2
  channel: string
  start: WaveformStart | undefined
  /** Numbers of points of the text header and of the integer header; 0 if missing. */
  textCount: number
  headerCount: number
}

const TEXT_LINES = { 1: 13, 2: 25 } as const
const REALS = { 1: 50, 2: 100 } as const
const INTEGERS = 100
/** The indexes of the number of points and of the year of the start in the integer header. */
const COUNT_AT = { 1: 32, 2: 52 } as const
const YEAR_AT = 23
const INTEGER_FORMAT = { perLine: 16, width: 5 }
const REAL_FORMAT = { perLine: 8, width: 10 }
const START = /Start time: *(.*)$/i
const MONTHS = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec']
/** Hours by which a zone is behind UTC. */
const HOURS_BEHIND: Readonly<Record<string, number>> = { PST: 8, PDT: 7, UTC: 0, GMT: 0, UT: 0 }

/**
 * Reads a channel's text, integer and real header (Shakal and Huang, OSMS 85-03, as CSMIP writes
 * it now); `lines` is at the first line of the text.
 */
export function readCsmipHeader(lines: TextLines): CsmipHeader {
  const first = lines.number
  const volume = volumeOf(lines)
  const texts = [lines.text()]
  while (texts.length < TEXT_LINES[volume]) {
    if (!lines.advance()) {
      throw invalid(
        `line ${lines.number}: the file ends after ${texts.length} of ${TEXT_LINES[volume]} lines of text header`,
      )
    }
    texts.push(lines.text())
  }
  const integers = readColumns(lines, INTEGERS, INTEGER_FORMAT, 0)
  readColumns(lines, REALS[volume], REAL_FORMAT, 0)
  return {
    volume,
    channel: channelOf(texts, first),
    start: startOf(texts, first, integers[YEAR_AT] ?? 0),
    textCount: countOf(texts),
    headerCount: integers[COUNT_AT[volume]] ?? 0,
  }
}

function volumeOf(lines: TextLines): 1 | 2 {
  const text = lines.text()
  if (/^\s*uncorrected accelerogram/i.test(text)) return 1
  if (/^\s*corrected accelerogram/i.test(text)) return 2
  throw invalid(
    `line ${lines.number}: ${quote(text.trim(), 40)}, expected "Uncorrected accelerogram" of volume 1 or "Corrected accelerogram" of volume 2`,
  )
}

function channelOf(texts: readonly string[], first: number): string {
  const found = texts.map((text) => /^\s*(Chan *\d+: *.*?)(?: {3,}.*)?$/i.exec(text)?.[1])
  const channel = found.find((text) => text !== undefined)
  if (channel !== undefined) return channel.replace(/ +/g, ' ').trim()
  throw invalid(`line ${first}: the text header names no channel, expected such as "Chan  1: Up"`)
}

function countOf(texts: readonly string[]): number {
  const found = texts.map((text) => /No\. of Points *= *(\d+)|^ *(\d+) points of/.exec(text))
  const match = found.find((match) => match !== null)
  return match ? Number(match[1] ?? match[2]) : 0
}

/** From `Start time` in UTC, or else from `Record of` with a zone; undefined without either. */
function startOf(
  texts: readonly string[],
  first: number,
  headerYear: number,
): WaveformStart | undefined {
  const at = texts.findIndex((text) => START.test(text))
  const [, text = ''] = START.exec(texts[at]?.trimEnd() ?? '') ?? []
  if (/\d/.test(text)) {
    const year = headerYear || Number(/, *(\d{4}) /.exec(texts.join('\n'))?.[1] ?? 0)
    const start = parseStartTime(text, year)
    if (start !== undefined) return start
    throw invalid(
      `line ${first + at}: start time is ${quote(text)}, expected M/D/YY, HH:MM:SS.s UTC of ${year}`,
    )
  }
  for (const text of texts) {
    const start = parseRecordOf(text)
    if (start !== undefined) return start
  }
  return undefined
}

/** Parses `5/18/09, 03:39:38.0 UTC`; the integer header has the century. */
function parseStartTime(text: string, headerYear: number): WaveformStart | undefined {
  const found = /^(\d+)\/(\d+)\/(\d+), *(\d+):(\d+):(\d+)(\.\d*)? *(?:UTC|GMT)/i.exec(text)
  if (found === null) return undefined
  const [, month, day, year, hour, minute, second, fraction] = found
  if (Number(year) !== headerYear && Number(year) !== headerYear % 100) return undefined
  const clock = parseClock([headerYear, month, day, hour, minute, second])
  return startOfClock(clock, nanosecondsOf(fraction))
}

/** Parses `Record of Sun May 17, 2009 20:39:38.0 PDT`. */
function parseRecordOf(text: string): WaveformStart | undefined {
  const found =
    /^\s*Rec\w* of +\w{3} +(\w{3}) +(\d+), *(\d{4}) +(\d+):(\d+):(\d+)(\.\d*)? *([A-Z]{2,4})/i.exec(
      text,
    )
  const [, month = '', day, year, hour, minute, second, fraction, zone = ''] = found ?? []
  const hoursBehind = HOURS_BEHIND[zone.toUpperCase()]
  if (hoursBehind === undefined) return undefined
  const monthNumber = MONTHS.indexOf(month.toLowerCase()) + 1
  const clock = parseClock([year, monthNumber, day, hour, minute, second])
  const local = startOfClock(clock, nanosecondsOf(fraction))
  return local && { ...local, milliseconds: local.milliseconds + hoursBehind * 3_600_000 }
}

const nanosecondsOf = (fraction = ''): number => Math.round(Number(`0${fraction || '.0'}0`) * 1e9)
