import { setTimeout as sleep } from 'node:timers/promises'
import { startChild } from '../_child.ts'
import { randomNumbers } from '../_random.ts'
import { AlarmWorkload, THRESHOLDS } from './_alarm-workload.ts'
import { makeDataFolder } from './_site.ts'

/** Most a service writes alarms before it is killed. */
const WRITING_MILLISECONDS = 300

/** Kills the service again and again while values cross limits, at random moments; what is wrong then. */
export async function killAmongAlarms(kills: number) {
  await using data = await makeDataFolder(undefined, THRESHOLDS)
  const random = randomNumbers()
  const workload = new AlarmWorkload(random)

  for (let round = 0; round < kills; round++) {
    await using child = await startChild(data.folder)
    const stop = new AbortController()
    const writing = workload.write(child, stop.signal)
    await sleep(20 + random() * WRITING_MILLISECONDS)
    await child.kill()
    stop.abort()
    await writing
  }

  await using child = await startChild(data.folder)
  await workload.finish(child)
  return await workload.verify(child)
}
