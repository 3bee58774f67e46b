/** Members of a log line that are shown at its start, or are the same in every line. */
const STANDARD = new Set(['level', 'time', 'msg', 'err', 'pid', 'hostname'])

const LEVELS: Readonly<Record<number, string>> = {
  20: 'debug',
  30: 'info',
  40: 'warn',
  50: 'error',
  60: 'fatal',
}

/** The width of the longest level. */
const LEVEL_WIDTH = 5

/**
 * A JSON line of the log as a line for people: `2026-03-01 08:00:00 warn  sentence (member: value)`,
 * in UTC, with the stack of an error below it. A line that is not of the log stays as it is.
 */
export function readableLine(line: string): string {
  const members = parse(line)
  if (members === undefined) return line
  const { level, time, msg, err } = members
  const moment = showTime(time)
  if (moment === undefined || typeof level !== 'number') return line
  const name = (LEVELS[level] ?? String(level)).padEnd(LEVEL_WIDTH)
  const details = Object.entries(members)
    .filter(([member]) => !STANDARD.has(member))
    .map(([member, value]) => `${member}: ${showValue(value)}`)
  const sentence = typeof msg === 'string' ? withoutControls(msg) : ''
  const detail = details.length === 0 ? '' : ` (${details.join(', ')})`
  return `${moment} ${name} ${sentence}${detail}${showStack(err)}\n`
}

function parse(line: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(line)
    const isObject = typeof value === 'object' && value !== null && !Array.isArray(value)
    return isObject ? Object.fromEntries(Object.entries(value)) : undefined
  } catch {
    return undefined
  }
}

/** The time of a line in UTC; undefined where it is none. */
function showTime(time: unknown): string | undefined {
  const date = new Date(typeof time === 'number' ? time : Number.NaN)
  if (Number.isNaN(date.getTime())) return undefined
  return `${date.toISOString().slice(0, 19).replace('T', ' ')}Z`
}

const showValue = (value: unknown): string =>
  typeof value === 'string' && /^[\w.:/@+-]+$/.test(value)
    ? value
    : withoutControls(JSON.stringify(value))

/** The text without characters that steer a terminal: a sender may have chosen it. */
const withoutControls = (text: string): string => text.replaceAll(/[^\P{C}]/gu, '·')

function showStack(err: unknown): string {
  const stack = typeof err === 'object' && err !== null && 'stack' in err ? err.stack : undefined
  if (typeof stack !== 'string') return ''
  const lines = stack.split('\n').map((line) => `\n    ${withoutControls(line.trim())}`)
  return lines.join('')
}
