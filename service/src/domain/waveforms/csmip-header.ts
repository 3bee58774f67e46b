import { startOf } from './csmip-start.ts'
import { readColumns } from './fixed-columns.ts'
import { quote, type TextLines } from './text-lines.ts'
import type { WaveformStart } from './waveform-start.ts'
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
    start: startOf({ texts, first, year: integers[YEAR_AT] ?? 0 }),
    textCount: countOf(texts),
    // Newer files write -999 where they have no number.
    headerCount: Math.max(0, integers[COUNT_AT[volume]] ?? 0),
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
  const found = texts.map((text) => /No\. of Points *= *(\d+)|^ *(\d+) points of/i.exec(text))
  const match = found.find((match) => match !== null)
  return match ? Number(match[1] ?? match[2]) : 0
}
