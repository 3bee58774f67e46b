import { execFile } from 'node:child_process'
import { codeOf, toError } from '../errors/thrown.ts'

const PROGRAM = 'systemd-notify'

/** It waits until systemd has read the message: five seconds at most. */
const SEND_MILLISECONDS = 10_000

type Variables = Readonly<Record<string, string | undefined>>

type NotifierOptions = {
  environment: Variables
  log: { warn(sentence: string): void }
}

/** Sends lines such as `READY=1` to the service manager that has started the process. */
export type Notifier = { send(...lines: string[]): Promise<void> }

/**
 * Opens the way to the service manager; undefined where none has started the process.
 *
 * Node has no datagram sockets of the Unix kind, so systemd's own program sends the lines.
 */
export function openNotifier({ environment, log }: NotifierOptions): Notifier | undefined {
  if (!environment['NOTIFY_SOCKET']) return undefined
  let sent = Promise.resolve()
  let isWarned = false
  return {
    async send(...lines) {
      sent = sent
        .then(() => sendLines(lines))
        .catch((error: unknown) => {
          if (!isWarned) log.warn(describeFailure(error))
          isWarned = true
        })
      await sent
    },
  }
}

/** How often the service manager expects a sign of life; undefined where it expects none. */
export function watchdogMilliseconds(environment: Variables, pid: number): number | undefined {
  const { WATCHDOG_USEC: microseconds, WATCHDOG_PID: watched = String(pid) } = environment
  const milliseconds = Number(microseconds) / 1000
  return watched === String(pid) && milliseconds > 0 ? milliseconds : undefined
}

const sendLines = (lines: readonly string[]): Promise<void> =>
  new Promise((resolve, reject) => {
    // A line break within a value would begin another line of the protocol.
    const args = lines.map((line) => line.replaceAll(/\s+/g, ' '))
    execFile(PROGRAM, args, { timeout: SEND_MILLISECONDS }, (error) =>
      error === null ? resolve() : reject(error),
    )
  })

const describeFailure = (error: unknown): string =>
  codeOf(error) === 'ENOENT'
    ? `The program ${PROGRAM} is not in the path, so the service manager does not hear that the service is ready: install it, or set Type=exec in the unit and remove WatchdogSec.`
    : `The service manager could not be notified: ${toError(error).message.trim()}`
