import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { text } from 'node:stream/consumers'
import { endedCpuMilliseconds } from '../process-figures.ts'
import { DAY } from '../site.ts'
import { keep } from './child.ts'

/** What was sealed, and what the whole process took. */
export type Sealing = { records: number; milliseconds: number; cpuMilliseconds: number }

/** Runs `plumbline seal` as an operator does, on the days that ended before an instant. */
export async function sealDays(
  dataFolder: string,
  before = Date.now(),
  extraArguments: readonly string[] = [],
): Promise<Sealing> {
  const afterDays = String((Date.now() - before) / DAY)
  const cpu = endedCpuMilliseconds()
  const begin = performance.now()
  const child = spawn(
    'plumbline',
    ['seal', '--data', dataFolder, '--after-days', afterDays, ...extraArguments],
    { stdio: ['ignore', 'pipe', 'inherit'] },
  )
  keep(child)
  const [said, [code]] = await Promise.all([text(child.stdout), once(child, 'close')])
  if (code !== 0) throw new Error(`plumbline seal ended with ${code}`)
  return {
    records: sealedRecords(said),
    milliseconds: performance.now() - begin,
    cpuMilliseconds: endedCpuMilliseconds() - cpu,
  }
}

function sealedRecords(said: string): number {
  if (said.startsWith('There are no days to seal.')) return 0
  const [, count] = /^Sealed ([\d,]+) records? of /m.exec(said) ?? []
  if (count === undefined) throw new Error(`plumbline seal printed no number of records: ${said}`)
  return Number(count.replaceAll(',', ''))
}
