import {
  endOfLine,
  isEnd,
  LINE_MAXIMUM,
  LineError,
  PointScanner,
  skipBlanks,
  type Point,
} from './point-scanner.ts'

/** A line with its number from 1 and its text: a point, or the problem with its position from 1. */
export type ProtocolLine = { line: number; text: string } & ({ point: Point } | { problem: string })

const TOO_LONG = `a line has at most ${LINE_MAXIMUM} characters`

/** Reads at most `maximum` lines; comments and blank lines do not count. */
export const parseLineProtocol = (text: string, maximum = Infinity): ProtocolLine[] =>
  readLines(text)
    .filter((line) => line !== undefined)
    .take(maximum)
    .toArray()

/** Reads the lines of a text; undefined for each comment and blank line. */
export function* readLines(text: string): Generator<ProtocolLine | undefined> {
  let number = 1
  for (let at = 0; at < text.length; number++) {
    const start = at
    const first = skipBlanks(text, at)
    const end = endOfLine(text, first)
    if (text[first] === '#' || isEnd(text, first)) {
      yield undefined
      at = end + 1
      continue
    }
    if (end - start > LINE_MAXIMUM) {
      const beginning = text.slice(start, start + LINE_MAXIMUM)
      yield { line: number, text: beginning, problem: TOO_LONG }
      at = end + 1
      continue
    }
    const scanner = new PointScanner(text, first, start)
    const line = number
    let read: { point: Point } | { problem: string }
    try {
      read = { point: scanner.readPoint() }
      at = scanner.at
    } catch (error) {
      if (!(error instanceof LineError)) throw error
      read = { problem: error.message }
      at = endOfLine(text, scanner.at)
    }
    // A text in quotes may have line breaks, which count as lines.
    for (let next = end; next >= 0 && next < at; next = text.indexOf('\n', next + 1)) number++
    yield { line, text: text.slice(start, at), ...read }
    at++
  }
}
