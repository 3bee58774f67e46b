import { userInfo } from 'node:os'
import type { SecurityDetails } from '../domain/access/security-log.ts'
import { SECURITY_EVENTS } from '../domain/access/security-events.ts'

/** Writes what a command changed about access to stderr, in the form of the service's log. */
export function recordAccess(
  command: string,
  details: SecurityDetails,
  complain: (line: string) => void,
): void {
  const event = 'security.command'
  const msg = SECURITY_EVENTS[event].meaning
  const who = { account: userInfo().username, command }
  complain(JSON.stringify({ level: 30, time: Date.now(), event, ...who, ...details, msg }))
}
