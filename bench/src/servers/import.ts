import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { text } from 'node:stream/consumers'
import { endedCpuMilliseconds, peakMegabytes } from '../process-figures.ts'
import type { LoggerFile } from '../toa5.ts'
import { keep, pidOf } from './child.ts'

export type Import = { milliseconds: number; cpuMilliseconds: number; peakMegabytes: number }

const LOOK_MILLISECONDS = 20

/** Runs `plumbline import` as an operator does; every row must have been stored. */
export async function importFile(dataFolder: string, file: LoggerFile): Promise<Import> {
  const cpu = endedCpuMilliseconds()
  const begin = performance.now()
  const child = spawn(
    'plumbline',
    ['import', file.file, '--mapping', file.mapping, '--data', dataFolder],
    { stdio: ['ignore', 'pipe', 'inherit'] },
  )
  keep(child)
  let peak = 0
  const looking = setInterval(() => {
    peak = Math.max(peak, peakOf(pidOf(child)))
  }, LOOK_MILLISECONDS)
  const [said, [code]] = await Promise.all([text(child.stdout), once(child, 'close')])
  clearInterval(looking)
  const expected = `${file.rows.toLocaleString('en')} rows read`
  if (code !== 0 || !said.includes(expected)) throw new Error(`plumbline import: ${code}: ${said}`)
  return {
    milliseconds: performance.now() - begin,
    cpuMilliseconds: endedCpuMilliseconds() - cpu,
    peakMegabytes: peak,
  }
}

/** Between the end of the process and our hearing of it there is nothing to be read. */
function peakOf(pid: number): number {
  try {
    return peakMegabytes(pid) || 0
  } catch {
    return 0
  }
}
