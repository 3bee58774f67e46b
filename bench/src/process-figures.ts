import { readFileSync, writeFileSync } from 'node:fs'

/** What Linux counts in: `getconf CLK_TCK` is 100 on every platform Node runs on. */
const TICK_MILLISECONDS = 10

/** The processor time a process has used until now, all its threads, user and system. */
export function cpuMilliseconds(pid: number): number {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
  // The name of the program stands in brackets and may hold anything.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  return (Number(fields[11]) + Number(fields[12])) * TICK_MILLISECONDS
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
