import { readFile } from 'node:fs/promises'
import { platform } from 'node:os'
import type { FfmpegLimits } from './restrictions.ts'

const INTERVAL_MILLISECONDS = 2_000
const MEAN_SECONDS = 30
const DEFAULT_CORES = 2

/** Linux counts processor time of processes in hundredths of a second. */
const TICKS_PER_SECOND = 100

type Sample = { at: number; processorSeconds: number; megabytes: number }

type WatchOptions = {
  pid: number
  limits: FfmpegLimits
  /** Called once, with a sentence for clients. */
  onExceeded(problem: string): void
  intervalMilliseconds?: number | undefined
  meanSeconds?: number | undefined
}

/** Watches the memory and the processor time of a process, on Linux, until it is disposed. */
export function watchResources(options: WatchOptions): Disposable {
  const { pid, limits, intervalMilliseconds = INTERVAL_MILLISECONDS } = options
  const samples: Sample[] = []
  const look = async () => {
    const sample = await readSample(pid).catch(() => undefined)
    if (sample === undefined || stopped.signal.aborted) return
    samples.push(sample)
    const problem = findExcess(samples, limits, options.meanSeconds ?? MEAN_SECONDS)
    if (problem === undefined) return
    stopped.abort()
    options.onExceeded(problem)
  }
  const stopped = new AbortController()
  const timer = setInterval(() => void look(), intervalMilliseconds).unref()
  if (platform() !== 'linux') clearInterval(timer)
  stopped.signal.addEventListener('abort', () => clearInterval(timer))
  return { [Symbol.dispose]: () => stopped.abort() }
}

/** What is exceeded, as a sentence; forgets samples that no mean needs any more. */
export function findExcess(
  samples: Sample[],
  { memoryMegabytes, cores = DEFAULT_CORES }: FfmpegLimits,
  meanSeconds: number,
): string | undefined {
  const newest = samples.at(-1)
  if (newest === undefined) return undefined
  if (newest.megabytes > memoryMegabytes)
    return `The video of the camera takes more than ${memoryMegabytes} MB of memory.`
  const start = samples.findLastIndex(({ at }) => newest.at - at >= meanSeconds)
  const oldest = samples[start]
  if (oldest === undefined) return undefined
  samples.splice(0, start)
  const mean = (newest.processorSeconds - oldest.processorSeconds) / (newest.at - oldest.at)
  return mean > cores
    ? `The video of the camera takes more than ${cores} processor cores.`
    : undefined
}

async function readSample(pid: number): Promise<Sample> {
  const [status, stat] = await Promise.all(
    ['status', 'stat'].map((name) => readFile(`/proc/${pid}/${name}`, 'utf8')),
  )
  const [, kilobytes = 0] = /^VmRSS:\s+(\d+) kB/m.exec(status ?? '') ?? []
  // The name of the program, in parentheses, may hold blanks.
  const [user = 0, system = 0] = (stat ?? '')
    .slice((stat ?? '').lastIndexOf(')'))
    .split(' ')
    .slice(12, 14)
    .map(Number)
  return {
    at: performance.now() / 1000,
    processorSeconds: (user + system) / TICKS_PER_SECOND,
    megabytes: Number(kilobytes) / 1024,
  }
}
