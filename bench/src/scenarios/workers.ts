import { readFileSync } from 'node:fs'
import { absolutes, advantage, compare, type Contender } from '../compare.ts'
import { fetchHttps } from '../load/fetch.ts'
import type { Target } from '../load/load.ts'
import { getRequest } from '../load/requests.ts'
import { residentMegabytes } from '../process-figures.ts'
import type { Bench, Finding, Scenario } from '../scenario.ts'
import { makeDataFolder, type DataFolder } from '../servers/data-folder.ts'
import { sealDays } from '../servers/seal.ts'
import { startReadable } from '../servers/service.ts'
import { DAY_HOLDINGS, listDays, roundsFor } from './station-day.ts'

/** What one and two processes of a service are compared by. */
type Measured = { one: Contender; two: Contender }

export const workers: Scenario = {
  title: 'Two workers beside one: open and sealed station-days, plain and with gzip',

  async run(bench) {
    await using folder = await makeDataFolder(DAY_HOLDINGS)
    const open = await measure(bench, folder, 'open')
    await sealDays(folder.path)
    return [...open, ...(await measure(bench, folder, 'sealed'))]
  },
}

async function measure(bench: Bench, folder: DataFolder, state: string): Promise<Finding[]> {
  const findings: Finding[] = []
  await using one = await startReadable(folder)
  await using two = await startReadable(folder, ['--workers', '2'])
  await requireSame(one, two, listDays(one.token)[0]!.path)
  for (const gzip of [false, true]) {
    const name = `${state} station-day${gzip ? ', gzip' : ''}`
    bench.say(name)
    const requests = listDays(one.token).map(({ path }) => getRequest({ path, gzip }))
    const contenders = {
      one: { name: 'one worker', target: one, requests },
      two: { name: 'two workers', target: { ...two, pids: processesOf(two.pid) }, requests },
    } satisfies Measured
    const series = await compare(bench.load, contenders, roundsFor(bench.isQuick))
    const [rate, cpu] = advantage(`${name}: two workers beside one`, series.two, series.one)
    findings.push(
      { ...rate, target: { atLeast: 1.6 } },
      cpu,
      ...absolutes(`${name}, one worker`, series.one),
      ...absolutes(`${name}, two workers`, series.two),
    )
  }
  const [, ...others] = processesOf(two.pid)
  const memory = others.map(residentMegabytes)
  return [
    ...findings,
    {
      what: `${state}: memory of the second worker after the station-days`,
      value: Math.max(...memory),
      unit: 'MB',
    },
  ]
}

/** The processes of a service: the first one and its workers. */
function processesOf(pid: number): number[] {
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim()
  return [pid, ...children.split(' ').filter(Boolean).map(Number)]
}

async function requireSame(one: Target, two: Target, path: string): Promise<void> {
  const bodies = await Promise.all(
    [one, two, two, two].map((target) => fetchHttps({ ...target, path })),
  )
  if (bodies.some(({ body }) => !body.equals(bodies[0]!.body)))
    throw new Error(`answers differ at ${path}`)
}
