import { readFileSync, writeFileSync } from 'node:fs'
import { childrenOf } from '../../service/test/postgres/_processes.ts'

/** What Linux counts in: `getconf CLK_TCK` is 100 on every platform Node runs on. */
const TICK_MILLISECONDS = 10

/** The processor time a process has used until now, all its threads, user and system. */
export const cpuMilliseconds = (pid: number): number => statMilliseconds(pid, 11)

/** That of a process and its children, those that have ended as well. */
export const familyCpuMilliseconds = (pid: number): number =>
  [pid, ...childrenOf(pid)].reduce(
    (sum, one) => sum + cpuMilliseconds(one),
    statMilliseconds(pid, 13),
  )

/** What those of our own children that have ended used, in all their lives. */
export const endedCpuMilliseconds = (): number => statMilliseconds(process.pid, 13)

/** A field of user time and the one of system time behind it. */
function statMilliseconds(pid: number, user: number): number {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
  // The name of the program stands in brackets and may hold anything.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  return (Number(fields[user]) + Number(fields[user + 1])) * TICK_MILLISECONDS
}

/** The memory a process has resident now. */
export const residentMegabytes = (pid: number): number => statusMegabytes(pid, 'VmRSS')

/** The most it had resident since it started, or since `forgetPeak`. */
export const peakMegabytes = (pid: number): number => statusMegabytes(pid, 'VmHWM')

export function forgetPeak(pid: number): void {
  writeFileSync(`/proc/${pid}/clear_refs`, '5')
}

function statusMegabytes(pid: number, field: string): number {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8')
  return Number(new RegExp(`^${field}:\\s+(\\d+) kB`, 'm').exec(status)?.[1]) / 1024
}
