// Loaded into a service before it starts: notes how long its main thread was held at most, and says
// so in a file when it is asked to by SIGUSR2. Processor time is the measure; others who use the
// machine prolong only the time on the wall.
import { writeFileSync } from 'node:fs'
import process from 'node:process'
import { isMainThread } from 'node:worker_threads'

function cpu() {
  const { user, system } = process.threadCpuUsage()
  return (user + system) / 1000
}

const file = process.env.BENCH_HOLD_FILE
if (isMainThread && file !== undefined && typeof process.threadCpuUsage === 'function') {
  let lastCpu = cpu()
  let lastWall = performance.now()
  let most = { cpu: 0, wall: 0 }
  setInterval(() => {
    const [nowCpu, nowWall] = [cpu(), performance.now()]
    most.cpu = Math.max(most.cpu, nowCpu - lastCpu)
    most.wall = Math.max(most.wall, nowWall - lastWall)
    lastCpu = nowCpu
    lastWall = nowWall
  }, 1).unref()
  process.on('SIGUSR2', () => {
    writeFileSync(file, JSON.stringify(most))
    most = { cpu: 0, wall: 0 }
  })
}
