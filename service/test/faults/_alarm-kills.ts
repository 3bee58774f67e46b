import { setTimeout as sleep } from 'node:timers/promises'
import { startChild, type Child } from '../_child.ts'
import { randomNumbers } from '../_random.ts'
import { AlarmWorkload, THRESHOLDS } from './_alarm-workload.ts'
import { makeDataFolder } from './_site.ts'

/** Instances that write to one folder. */
export const INSTANCES = 4

/** Most the instances write alarms before some are killed, and how long the others go on. */
const WRITING_MILLISECONDS = 500

/**
 * Kills one or more of several instances again and again while values cross limits, at random moments;
 * what is wrong then.
 */
export async function killAmongAlarms(kills: number) {
  await using data = await makeDataFolder(undefined, THRESHOLDS)
  await using stack = new AsyncDisposableStack()
  const random = randomNumbers()
  const workload = new AlarmWorkload(random)
  // Without a port for operators: several that start at once would be given the same one.
  const open = async (): Promise<Child> =>
    stack.use(await startChild(data.folder, { PLUMBLINE_OPS_PORT: '0' }))
  let children: Child[] = []

  for (let killed = 0; killed < kills;) {
    const missing = Array.from({ length: INSTANCES - children.length }, open)
    children.push(...(await Promise.all(missing)))
    const stop = new AbortController()
    const writing = workload.write(children, stop.signal)
    await sleep(20 + random() * WRITING_MILLISECONDS)
    const first = children[Math.floor(random() * INSTANCES)]
    const victims = children.filter((child) => child === first || random() < 0.3)
    await Promise.all(victims.map((child) => child.kill()))
    await sleep(random() * WRITING_MILLISECONDS)
    stop.abort()
    await writing
    killed += victims.length
    children = children.filter(({ isRunning }) => isRunning)
  }

  const child = await open()
  await workload.finish(child)
  return await workload.verify(child)
}
