import { fstatSync } from 'node:fs'
import { environment } from '../config/env.ts'

/** The priority of an error for the journal, which a sentence on standard error has. */
const ERROR = 3

/** The lowest levels of the log that have a priority. */
const PRIORITIES: readonly (readonly [level: number, priority: number])[] = [
  [60, 2],
  [50, ERROR],
  [40, 4],
  [30, 6],
]

const DEBUG = 7

/** Whether a descriptor leads to the journal of systemd; the variable is inherited by children too. */
export function isJournal(descriptor: number, variables = environment): boolean {
  const stream = variables['JOURNAL_STREAM']
  if (!stream) return false
  const { dev, ino } = fstatSync(descriptor)
  return stream === `${dev}:${ino}`
}

/** A line of the log, or a sentence of a command, with its priority, which the journal takes off. */
export const journalLine = (line: string): string =>
  line.replaceAll(/^(?=.)/gm, `<${priorityOf(line)}>`)

function priorityOf(line: string): number {
  const [, level] = /^\{"level":(\d+),/.exec(line) ?? []
  if (level === undefined) return ERROR
  return PRIORITIES.find(([lowest]) => Number(level) >= lowest)?.[1] ?? DEBUG
}
