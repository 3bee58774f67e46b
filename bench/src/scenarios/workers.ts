import { readFileSync } from 'node:fs'
import { absolutes, advantage, compare, type Contender } from '../compare.ts'
import { fetchHttps } from '../load/fetch.ts'
import type { Target } from '../load/load.ts'
import { getRequest } from '../load/requests.ts'
import { canLimitCpu, limitCpu } from '../cpu-limit.ts'
import { residentMegabytes } from '../process-figures.ts'
import type { Bench, Finding, Scenario } from '../scenario.ts'
import { makeDataFolder, type DataFolder } from '../servers/data-folder.ts'
import { fillPostgresStore } from '../servers/postgres-store.ts'
import { startPostgres } from '../servers/postgres.ts'
import { sealDays } from '../servers/seal.ts'
import { startReadable } from '../servers/service.ts'
import { DAY_HOLDINGS, listDays, roundsFor } from './station-day.ts'

/** What one and two processes of a service are compared by. */
type Measured = { one: Contender; two: Contender }

export const workers: Scenario = {
  title: 'Two workers beside one: open and sealed station-days, plain and with gzip',

  async run(bench) {
    await using folder = await makeDataFolder(DAY_HOLDINGS)
    await using server = await startPostgres()
    const application = await fillPostgresStore(server.url, folder.ingestKey, DAY_HOLDINGS)
    const sqlite: Engine = { name: '', folder, flags: [], share: undefined }
    const onServer = {
      name: 'PostgreSQL, ',
      folder: { ...folder, application },
      flags: ['--storage', server.url],
    }
    const findings: Finding[] = []
    for (const state of ['open', 'sealed']) {
      if (state === 'sealed')
        for (const { flags } of [sqlite, onServer]) await sealDays(folder.path, Date.now(), flags)
      findings.push(...(await measure(bench, sqlite, state)))
      // The database shares the cores: unlimited, what two workers do says how much it needs.
      if (canLimitCpu())
        findings.push(...(await measure(bench, { ...onServer, share: SHARE }, state)))
    }
    return findings
  },
}

/** The part of a core that each process may use with PostgreSQL. */
const SHARE = 0.4

type Engine = {
  name: string
  folder: Pick<DataFolder, 'path' | 'ca' | 'application'>
  flags: string[]
  /** The part of a core for each process; undefined: no limit. */
  share: number | undefined
}

async function measure(
  bench: Bench,
  { name: engine, folder, flags, share }: Engine,
  state: string,
): Promise<Finding[]> {
  const findings: Finding[] = []
  await using one = await startReadable(folder, flags)
  await using two = await startReadable(folder, [...flags, '--workers', '2'])
  using _limits =
    share === undefined ? undefined : limitCpu([one.pid, ...processesOf(two.pid)], share)
  await requireSame(one, two, listDays(one.token)[0]!.path)
  for (const gzip of [false, true]) {
    const limit = share === undefined ? '' : `, each process with ${share} of a core`
    const name = `${engine}${state} station-day${gzip ? ', gzip' : ''}${limit}`
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
      what: `${engine}${state}: memory of the second worker after the station-days`,
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
