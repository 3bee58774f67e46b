import { mkdirSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { eventually } from '../_eventually.ts'

const ROOTS = { v2: '/sys/fs/cgroup', v1: '/sys/fs/cgroup/memory' }

/** A control group with a limit of memory, which kills what exceeds it. */
export type MemoryLimit = AsyncDisposable & {
  /** What makes a shell one of its processes. */
  readonly join: string
  /** How often it has killed a process. */
  kills(): number
  /** The most that its processes have used, file pages that can be dropped included. */
  peakBytes(): number
}

/** Makes a control group; undefined where this user, or this container, may not. */
export function limitMemory(name: string, bytes: number): MemoryLimit | undefined {
  return makeV2(join(ROOTS.v2, name), bytes) ?? makeV1(join(ROOTS.v1, name), bytes)
}

function makeV2(folder: string, bytes: number): MemoryLimit | undefined {
  const read = (file: string) => readFileSync(join(folder, file), 'utf8')
  return make(folder, { 'memory.max': bytes, 'memory.swap.max': 0 }, () => ({
    kills: () => Number(/^oom_kill (\d+)$/m.exec(read('memory.events'))?.[1]),
    peakBytes: () => Number(read('memory.peak')),
  }))
}

function makeV1(folder: string, bytes: number): MemoryLimit | undefined {
  const read = (file: string) => readFileSync(join(folder, file), 'utf8')
  const limits = { 'memory.limit_in_bytes': bytes, 'memory.memsw.limit_in_bytes': bytes }
  return make(folder, limits, () => ({
    kills: () => Number(/^oom_kill (\d+)$/m.exec(read('memory.oom_control'))?.[1]),
    peakBytes: () => Number(read('memory.max_usage_in_bytes')),
  }))
}

function make(
  folder: string,
  limits: Record<string, number>,
  measure: () => Pick<MemoryLimit, 'kills' | 'peakBytes'>,
): MemoryLimit | undefined {
  try {
    mkdirSync(folder)
    for (const [file, value] of Object.entries(limits))
      writeFileSync(join(folder, file), String(value), { flag: 'r+' })
  } catch {
    try {
      rmdirSync(folder)
    } catch {
      // It was not made.
    }
    return undefined
  }
  return {
    join: `echo $$ > ${join(folder, 'cgroup.procs')}`,
    ...measure(),
    [Symbol.asyncDispose]: () => eventually(() => rmdirSync(folder)),
  }
}
