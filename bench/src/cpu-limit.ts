import { existsSync, mkdirSync, rmdirSync, writeFileSync } from 'node:fs'

/** The kernel gives a limited process its share anew in each period. */
const PERIOD_MICROSECONDS = 10_000

const VERSION_1 = '/sys/fs/cgroup/cpu'
const VERSION_2 = '/sys/fs/cgroup'

let count = 0

/** Whether this machine lets the benchmark limit processes: Linux with control groups, as root. */
export function canLimitCpu(): boolean {
  try {
    using _none = limitCpu([], 1)
    return true
  } catch {
    return false
  }
}

/**
 * Lets each process, all its threads together, use at most a share of a core, until disposed of. What
 * is measured then does not depend on how many cores are left for the database and the load.
 */
export function limitCpu(pids: readonly number[], share: number): Disposable {
  using stack = new DisposableStack()
  for (const pid of pids.length === 0 ? [undefined] : pids) stack.use(limitOne(pid, share))
  return stack.move()
}

function limitOne(pid: number | undefined, share: number): Disposable {
  const isFirstVersion =
    existsSync(`${VERSION_1}/cpu.cfs_period_us`) || existsSync(`${VERSION_1}/tasks`)
  const root = isFirstVersion ? VERSION_1 : VERSION_2
  const group = `${root}/plumbline-bench-${process.pid}-${count++}`
  mkdirSync(group)
  const free = (): void => {
    if (pid !== undefined && existsSync(`/proc/${pid}`))
      writeFileSync(`${root}/cgroup.procs`, String(pid))
    rmdirSync(group)
  }
  try {
    const quota = Math.round(share * PERIOD_MICROSECONDS)
    if (isFirstVersion) {
      writeFileSync(`${group}/cpu.cfs_period_us`, String(PERIOD_MICROSECONDS))
      writeFileSync(`${group}/cpu.cfs_quota_us`, String(quota))
    } else writeFileSync(`${group}/cpu.max`, `${quota} ${PERIOD_MICROSECONDS}`)
    if (pid !== undefined) writeFileSync(`${group}/cgroup.procs`, String(pid))
  } catch (error) {
    free()
    throw error
  }
  return { [Symbol.dispose]: free }
}
