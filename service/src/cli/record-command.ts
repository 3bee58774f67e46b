import { userInfo } from 'node:os'
import type { SecurityDetails } from '../domain/access/security-log.ts'
import { SECURITY_EVENTS, type SecurityEvent } from '../domain/access/security-events.ts'
import type { Storage } from '../storage/storage.ts'
import { readableLine } from './readable-line.ts'

type Audited = Pick<Storage, 'audit'>

type PrintLine = (line: string) => void

/** Logs a change of access by a command to stderr, in the format of the service's log, and audits it. */
export const recordAccess = (
  storage: Audited,
  command: string,
  details: SecurityDetails,
  printError: PrintLine,
): Promise<void> =>
  record(storage, { event: 'security.command', command, details, outcome: 'done' }, printError)

/** The same when a command starts to change or delete stored data. */
export const recordWrite = (
  storage: Audited,
  command: string,
  details: SecurityDetails,
  printError: PrintLine,
): Promise<void> =>
  record(
    storage,
    { event: 'security.command-write', command, details, outcome: 'begun' },
    printError,
  )

type Recorded = {
  event: SecurityEvent
  command: string
  details: SecurityDetails
  outcome: 'done' | 'begun'
}

async function record(
  { audit }: Audited,
  { event, command, details, outcome }: Recorded,
  printError: PrintLine,
): Promise<void> {
  const msg = SECURITY_EVENTS[event].meaning
  const account = nameAccount()
  const now = Date.now()
  const line = JSON.stringify({ level: 30, time: now, event, account, command, ...details, msg })
  printError(process.stderr.isTTY ? readableLine(line).trimEnd() : line)
  await audit.append({
    at: now,
    who: { kind: 'command', name: account },
    address: null,
    operation: command,
    target: describeTarget(details),
    before: null,
    after: details,
    outcome,
  })
}

/** The first of the details: what the command is about. */
function describeTarget(details: SecurityDetails): string | null {
  const [first] = Object.entries(details)
  return first === undefined ? null : `${first[0]}=${String(first[1])}`
}

/** The name of the account, or its number where it has no name, as in containers. */
function nameAccount(): string {
  try {
    return userInfo().username
  } catch {
    return String(process.getuid?.() ?? '')
  }
}
