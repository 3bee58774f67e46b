import { parseColumnFormat, readColumns } from './fixed-columns.ts'
import { rateOfInterval } from './rate-of-interval.ts'
import { quote, type TextLines } from './text-lines.ts'
import { startOfClock, type WaveformStart } from './waveform-start.ts'
import { checkRate, invalid } from './waveform.ts'

/** What the lines before a channel's first block of values say. */
export type CosmosHeader = {
  channel: string
  start: WaveformStart | undefined
  sampleHz: number
  /** Points times interval; undefined when it is not said. */
  seconds: number | undefined
}

export const FIRST_LINE = /\(Format v *[\d.]+ with +(\d+) +text lines\)/i
const NUMBERS = /^ *(\d+) +(?:Integer|Real)-header values follow on +(\d+) +lines, *Format= *(.*)$/i
const COMMENTS = /^ *(\d+) +Comment line\(s\) follow/i
const CHANNEL = /^Sta Chan +(.*?)(?: *\(|  |$)/i
const START = /Rcrd start time: *(\d{4})\/(\d+)\/(\d+),? +(\d+):(\d+):(\d+)(\.\d*)? *UTC/i
const UNKNOWN = /unknown\/unspecified: *(-?\d+)/i
const DEFAULT_UNKNOWN = -999
const MOST_TEXT_LINES = 1000

/**
 * Reads a channel's text, integer and real header and its comments (COSMOS Strong Motion Data
 * Format 1.20); the first line of the text has been come to.
 */
export function readCosmosHeader(lines: TextLines): CosmosHeader {
  const texts = readText(lines)
  const integers = readNumbers(lines, 'integer')
  const reals = readNumbers(lines, 'real')
  const comments = readComments(lines)
  const unknown = Number(UNKNOWN.exec(texts.join('\n'))?.[1] ?? DEFAULT_UNKNOWN)
  const known = (values: Float64Array, number: number): number | undefined => {
    const value = values[number - 1]
    return value === unknown || value === undefined ? undefined : value
  }
  return {
    channel: channelOf(texts, comments, lines),
    start: startOf(integers, reals, known) ?? writtenStart(texts),
    sampleHz: rateOf(reals, known, lines),
    seconds: known(reals, 63) ?? known(reals, 35),
  }
}

type Known = (values: Float64Array, number: number) => number | undefined

function readText(lines: TextLines): string[] {
  const found = FIRST_LINE.exec(lines.text())
  const count = Number(found?.[1])
  if (found === null || count < 1 || count > MOST_TEXT_LINES) {
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

/** By the comment `<SCNL>station.channel.network.location`, or else the channel of the text. */
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
  known: Known,
): WaveformStart | undefined {
  const numbers = [40, 42, 43, 44, 45].map((number) => known(integers, number))
  const seconds = known(reals, 30)
  if (seconds === undefined || numbers.includes(undefined)) return undefined
  const [year, month, day, hour, minute] = numbers as Five
  const second = Math.floor(seconds)
  const nanoseconds = Math.round((seconds - second) * 1e9)
  const start = startOfClock({ year, month, day, hour, minute, second }, nanoseconds)
  if (start !== undefined) return start
  throw invalid(
    `integers 40 to 45 and real 30 of the header are ${numbers.join(' ')} ${seconds}, expected year, month, day, hour, minute and seconds of the start`,
  )
}

type Five = [number, number, number, number, number]

function writtenStart(texts: readonly string[]): WaveformStart | undefined {
  const found = START.exec(texts.join('\n'))
  if (found === null) return undefined
  const [year, month, day, hour, minute, second] = found.slice(1, 7).map(Number) as Six
  const nanoseconds = Math.round(Number(`0${found[7] ?? '.'}0`) * 1e9)
  return startOfClock({ year, month, day, hour, minute, second }, nanoseconds)
}

type Six = [number, number, number, number, number, number]

/** Real 62 is the interval in milliseconds, real 34 that of the raw record in seconds. */
function rateOf(reals: Float64Array, known: Known, lines: TextLines): number {
  const milliseconds = known(reals, 62)
  const seconds = milliseconds === undefined ? known(reals, 34) : milliseconds / 1000
  const place = `line ${lines.number}`
  if (seconds === undefined) {
    throw invalid(`${place}: reals 62 and 34 of the header are unknown, expected the interval`)
  }
  // Headers print six decimals.
  const halfUnit = milliseconds === undefined ? 5e-7 : 5e-10
  return checkRate(rateOfInterval(seconds, halfUnit), place)
}
