import { userInfo } from 'node:os'
import type { SecurityDetails } from '../domain/access/security-log.ts'
import { SECURITY_EVENTS, type SecurityEvent } from '../domain/access/security-events.ts'

type Complain = (line: string) => void

/** Logs a change of access by a command to stderr, in the format of the service's log. */
export const recordAccess = (command: string, details: SecurityDetails, complain: Complain): void =>
  record('security.command', { command, ...details }, complain)

/** Logs likewise that a command starts to change or delete stored data. */
export const recordWrite = (command: string, details: SecurityDetails, complain: Complain): void =>
  record('security.command-write', { command, ...details }, complain)

function record(event: SecurityEvent, details: SecurityDetails, complain: Complain): void {
  const msg = SECURITY_EVENTS[event].meaning
  const account = nameAccount()
  complain(JSON.stringify({ level: 30, time: Date.now(), event, account, ...details, msg }))
}

/** In a container the account may have no name. */
function nameAccount(): string {
  try {
    return userInfo().username
  } catch {
    return String(process.getuid?.() ?? '')
  }
}
