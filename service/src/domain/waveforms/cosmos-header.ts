import { parseColumnFormat, readColumns } from './fixed-columns.ts'
import { rateOfInterval } from './rate-of-interval.ts'
import { quote, type TextLines } from './text-lines.ts'
import { parseClock, startOfClock, type WaveformStart } from './waveform-start.ts'
import { checkRate, invalid } from './waveform.ts'

/** The contents of the lines before a channel's first block of values. */
export type CosmosHeader = {
  channel: string
  start: WaveformStart | undefined
  sampleHz: number
  /** Number of points times interval; undefined when the header has neither. */
  seconds: number | undefined
}

export const FIRST_LINE = /\(Format v *[\d.]+ with +(\d+) +text lines\)/i
const NUMBERS = /^ *(\d+) +(?:Integer|Real)-header values follow on +(\d+) +lines, *Format= *(.*)$/i
const COMMENTS = /^ *(\d+) +Comment line\(s\) follow/i
const CHANNEL = /^Sta Chan +(.*?)(?: *\(|  |$)/i
const START = /Rcrd start time: *(\d{4})\/(\d+)\/(\d+),? +(\d+):(\d+):(\d+)(\.\d*)? *UTC/i
const UNKNOWN = /unknown\/unspecified: *(-?\d+)/i
const DEFAULT_UNKNOWN = -999
const TEXT_LINES_MAXIMUM = 1000

/**
 * Reads a channel's text, integer and real header and its comments (COSMOS Strong Motion Data
 * Format 1.20); `lines` is at the first line of the text.
 */
export function readCosmosHeader(lines: TextLines): CosmosHeader {
  const texts = readText(lines)
  const integers = readNumbers(lines, 'integer')
  const reals = readNumbers(lines, 'real')
  const comments = readComments(lines)
  const unknown = Number(UNKNOWN.exec(texts.join('\n'))?.[1] ?? DEFAULT_UNKNOWN)
  const at = (values: Float64Array, number: number): number | undefined => {
    const value = values[number - 1]
    return value === unknown ? undefined : value
  }
  return {
    channel: channelOf(texts, comments, lines),
    start: startOf(integers, reals, at) ?? parseStart(texts),
    sampleHz: rateOf(reals, at, lines),
    seconds: at(reals, 63) ?? at(reals, 35),
  }
}

/** The value of a number of a header, from 1; undefined when the header declares it unknown. */
type HeaderValue = (values: Float64Array, number: number) => number | undefined

function readText(lines: TextLines): string[] {
  const found = FIRST_LINE.exec(lines.text())
  const count = Number(found?.[1])
  if (found === null || count < 1 || count > TEXT_LINES_MAXIMUM) {
    throw invalid(
      `line ${lines.number}: ${quote(lines.text().trim())}, expected "(Format v01.20 with 13 text lines)" or the like at its end`,
    )
  }
  const texts = [lines.text()]
  while (texts.length < count) {
    if (!lines.advance()) {
      throw invalid(
        `line ${lines.number}: the file ends after ${texts.length} of ${count} text lines`,
      )
    }
    texts.push(lines.text())
  }
  return texts
}

function readNumbers(lines: TextLines, name: string): Float64Array {
  const text = lines.advance() ? lines.text() : ''
  const [, count, lineCount, formatText = ''] = NUMBERS.exec(text) ?? []
  const format = parseColumnFormat(formatText)
  if (count === undefined || format === undefined) {
    throw invalid(
      `line ${lines.number}: ${quote(text.trim())}, expected the count and the format of the ${name} header`,
    )
  }
  const first = lines.number
  const values = readColumns(lines, Number(count), format)
  if (lines.number - first === Number(lineCount)) return values
  throw invalid(
    `line ${first}: ${count} values are announced on ${lineCount} lines, but fill ${lines.number - first}`,
  )
}

function readComments(lines: TextLines): string[] {
  const found = lines.advance() ? COMMENTS.exec(lines.text()) : null
  if (found === null) {
    throw invalid(
      `line ${lines.number}: ${quote(lines.text().trim())}, expected the count of comment lines`,
    )
  }
  const comments: string[] = []
  for (let left = Number(found[1]); left > 0; left--) {
    if (!lines.advance() || lines.bytes[lines.start] !== 0x7c) {
      throw invalid(
        `line ${lines.number}: ${found[1]} comment lines are announced, expected one that begins with "|"`,
      )
    }
    comments.push(lines.text())
  }
  return comments
}

/** From the comment `<SCNL>station.channel.network.location`, or else from the text. */
function channelOf(
  texts: readonly string[],
  comments: readonly string[],
  lines: TextLines,
): string {
  const [, station, channel, network, location] =
    /<SCNL> *([^\s.]*)\.([^\s.]*)\.([^\s.]*)\.([^\s.]*)/.exec(comments.join('\n')) ?? []
  if (station !== undefined) return `${network}.${station}.${location}.${channel}`
  const named = texts.map((text) => CHANNEL.exec(text)?.[1]).find((text) => text !== undefined)
  if (named !== undefined) return `Chan ${named.replace(/ +/g, ' ').trim()}`
  throw invalid(
    `line ${lines.number}: the header names no channel, expected "Sta Chan" in its text or "<SCNL>" in a comment`,
  )
}

/** Integers 40 and 42 to 45 and real 30: year, month, day, hour, minute, seconds, in UTC. */
function startOf(
  integers: Float64Array,
  reals: Float64Array,
  at: HeaderValue,
): WaveformStart | undefined {
  const numbers = [40, 42, 43, 44, 45].map((number) => at(integers, number))
  const seconds = at(reals, 30)
  if (seconds === undefined || numbers.includes(undefined)) return undefined
  const second = Math.floor(seconds)
  const nanoseconds = Math.round((seconds - second) * 1e9)
  const start = startOfClock(parseClock([...numbers, second]), nanoseconds)
  if (start !== undefined) return start
  throw invalid(
    `integers 40 to 45 and real 30 of the header are ${numbers.join(' ')} ${seconds}, expected year, month, day, hour, minute and seconds of the start`,
  )
}

function parseStart(texts: readonly string[]): WaveformStart | undefined {
  const found = START.exec(texts.join('\n'))
  if (found === null) return undefined
  const nanoseconds = Math.round(Number(`0${found[7] ?? '.'}0`) * 1e9)
  return startOfClock(parseClock(found.slice(1, 7)), nanoseconds)
}

/** Real 62 is the interval in milliseconds, real 34 that of the raw record in seconds. */
function rateOf(reals: Float64Array, at: HeaderValue, lines: TextLines): number {
  const milliseconds = at(reals, 62)
  const seconds = milliseconds === undefined ? at(reals, 34) : milliseconds / 1000
  const place = `line ${lines.number}`
  if (seconds === undefined) {
    throw invalid(`${place}: reals 62 and 34 of the header are unknown, expected the interval`)
  }
  // Headers print six decimals.
  const halfUnit = milliseconds === undefined ? 5e-7 : 5e-10
  return checkRate(rateOfInterval(seconds, halfUnit), place)
}
