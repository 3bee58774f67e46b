import { setTimeout as sleep } from 'node:timers/promises'
import { startChild } from '../_child.ts'
import { AlarmWorkload, THRESHOLDS } from './_alarm-workload.ts'
import { makeDataFolder } from './_site.ts'

/**
 * Kills the service so many times while values cross limits, each time at a random moment within
 * the first milliseconds; tells what is wrong afterwards.
 */
export async function killAmongAlarms(kills: number, milliseconds = 300) {
  await using data = await makeDataFolder(undefined, THRESHOLDS)
  const workload = new AlarmWorkload(Math.random)

  for (let round = 0; round < kills; round++) {
    await using child = await startChild(data.folder)
    const stop = new AbortController()
    const writing = workload.write(child, stop.signal)
    await sleep(20 + Math.random() * milliseconds)
    await child.kill()
    stop.abort()
    await writing
  }

  await using child = await startChild(data.folder)
  await workload.finish(child)
  return await workload.verify(child)
}
