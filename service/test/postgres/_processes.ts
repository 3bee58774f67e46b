import { readdirSync, readFileSync } from 'node:fs'
import { setTimeout as wait } from 'node:timers/promises'

const LOOK_MILLISECONDS = 5

/** Halts a server process and lists it with its children: a halted one starts no others meanwhile. */
export function haltFamily(pid: number): number[] {
  signal(pid, 'SIGSTOP')
  while (isAlive(pid) && statOf(pid)?.state !== 'T');
  return [pid, ...childrenOf(pid)]
}

/** The processes that a process has started and that have not ended. */
export const childrenOf = (pid: number): number[] =>
  readdirSync('/proc')
    .map(Number)
    .filter((child) => statOf(child)?.parent === pid)

/** Sends a signal to processes; those that are gone do not mind. */
export function signal(processes: number | readonly number[], name: NodeJS.Signals): void {
  for (const pid of [processes].flat())
    try {
      process.kill(pid, name)
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error
    }
}

/** Waits until none of the processes runs. */
export async function untilGone(processes: readonly number[], seconds: number): Promise<void> {
  const end = performance.now() + seconds * 1000
  while (processes.some(isAlive)) {
    if (performance.now() > end)
      throw new Error(`Process ${processes.find(isAlive)} did not end within ${seconds} seconds.`)
    await wait(LOOK_MILLISECONDS)
  }
}

/** Whether a process runs; one that has ended does not, though nobody has taken notice. */
export function isAlive(pid: number): boolean {
  const state = statOf(pid)?.state
  return state !== undefined && state !== 'Z' && state !== 'X'
}

function statOf(pid: number): { state: string; parent: number } | undefined {
  if (!Number.isInteger(pid)) return undefined
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1')
    // The name of the program stands in brackets and may hold anything.
    const [state = '', parent] = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    return { state, parent: Number(parent) }
  } catch {
    return undefined
  }
}
