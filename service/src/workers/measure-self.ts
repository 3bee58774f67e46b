/** What a process measures of itself. */
export function measureSelf(): { pid: number; memoryBytes: number; cpuSeconds: number } {
  const { user, system } = process.cpuUsage()
  return {
    pid: process.pid,
    memoryBytes: process.memoryUsage.rss(),
    cpuSeconds: (user + system) / 1e6,
  }
}
