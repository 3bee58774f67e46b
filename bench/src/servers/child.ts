import { once } from 'node:events'
import type { ChildProcess } from 'node:child_process'

const PATIENCE_MILLISECONDS = 10_000

/** A server in a process of its own, on a port of the loopback. */
export type Server = AsyncDisposable & {
  readonly pid: number
  readonly port: number
  /** The process of the database server that works for it; its processor time is part of the server's. */
  readonly databasePid?: number
}

const running = new Set<ChildProcess>()

// An interrupted benchmark leaves no process behind.
process.once('exit', () => {
  for (const child of running) child.kill('SIGKILL')
})

/** The server that a process runs. */
export function serverOf(child: ChildProcess, port: number): Server {
  return { pid: pidOf(child), port, [Symbol.asyncDispose]: () => stop(child) }
}

export function pidOf({ pid, spawnfile }: ChildProcess): number {
  if (pid === undefined) throw new Error(`${spawnfile} did not start`)
  return pid
}

/** Notes a process we started, to be ended with us. */
export function keep(child: ChildProcess): void {
  running.add(child)
  child.once('exit', () => running.delete(child))
}

/** Ends a process we started: by SIGTERM, and after a while by SIGKILL. */
export async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const exit = once(child, 'exit')
  child.kill('SIGTERM')
  const timer = setTimeout(() => child.kill('SIGKILL'), PATIENCE_MILLISECONDS)
  await exit
  clearTimeout(timer)
}
