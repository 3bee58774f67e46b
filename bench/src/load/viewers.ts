/** The viewers of a stream, in a process of their own: each polls the playlist and fetches new segments. */
import { Agent } from 'node:https'
import { setTimeout as delay } from 'node:timers/promises'
import { nextMessage, sendToParent } from '../messages.ts'
import { fetchHttps } from './fetch.ts'

export type ViewersJob = {
  port: number
  ca: string
  /** The path of the playlist. */
  path: string
  viewers: number
  milliseconds: number
}

export type ViewersReport = { segmentMilliseconds: number[]; bytes: number; failures: number }

/** Players ask for the playlist about once in a segment. */
const POLL_MILLISECONDS = 1_000

process.on('disconnect', () => process.exit())

const job = await nextMessage<ViewersJob>(process)
const report: ViewersReport = { segmentMilliseconds: [], bytes: 0, failures: 0 }
const end = performance.now() + job.milliseconds
await Promise.all(Array.from({ length: job.viewers }, (_, at) => view(at)))
sendToParent(report)

async function view(at: number): Promise<void> {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  const target = { port: job.port, ca: job.ca, agent }
  let newest = 0
  // They come one after the other, as people do.
  await delay((at / job.viewers) * POLL_MILLISECONDS * 2)
  while (performance.now() < end) {
    const { status, body } = await fetchHttps({ ...target, path: job.path })
    if (status !== 200) report.failures++
    const numbers = Array.from(body.toString().matchAll(/^(\d+)\.ts$/gm), ([, n]) => Number(n))
    for (const number of numbers.slice(-2)) {
      if (number <= newest) continue
      const path = job.path.replace('index.m3u8', `${number}.ts`)
      const begin = performance.now()
      const segment = await fetchHttps({ ...target, path })
      report.segmentMilliseconds.push(performance.now() - begin)
      report.bytes += segment.body.length
      if (segment.status !== 200) report.failures++
      newest = number
    }
    await delay(POLL_MILLISECONDS)
  }
  agent.destroy()
}
