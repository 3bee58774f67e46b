import { userInfo } from 'node:os'
import type { SecurityDetails } from '../domain/access/security-log.ts'
import { SECURITY_EVENTS, type SecurityEvent } from '../domain/access/security-events.ts'
import { readableLine } from './readable-line.ts'

type PrintLine = (line: string) => void

/** Logs a change of access by a command to stderr, in the format of the service's log. */
export const recordAccess = (
  command: string,
  details: SecurityDetails,
  printError: PrintLine,
): void => record('security.command', { command, ...details }, printError)

/** Logs to stderr that a command starts to change or delete stored data. */
export const recordWrite = (
  command: string,
  details: SecurityDetails,
  printError: PrintLine,
): void => record('security.command-write', { command, ...details }, printError)

function record(event: SecurityEvent, details: SecurityDetails, printError: PrintLine): void {
  const msg = SECURITY_EVENTS[event].meaning
  const account = nameAccount()
  const line = JSON.stringify({ level: 30, time: Date.now(), event, account, ...details, msg })
  printError(process.stderr.isTTY ? readableLine(line).trimEnd() : line)
}

/** The name of the account, or its number where it has no name, as in containers. */
function nameAccount(): string {
  try {
    return userInfo().username
  } catch {
    return String(process.getuid?.() ?? '')
  }
}
