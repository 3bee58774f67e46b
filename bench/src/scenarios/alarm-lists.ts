import type { AlarmFilter, AlarmList } from '@plumbline/contract'
import { fetchHttps } from '../load/fetch.ts'
import type { LoadProcess, Target } from '../load/load.ts'
import { getRequest, postRequest } from '../load/requests.ts'
import { residentMegabytes } from '../process-figures.ts'
import type { Finding, Scenario } from '../scenario.ts'
import { makeDataFolder } from '../servers/data-folder.ts'
import { startReadable } from '../servers/service.ts'
import { randomNumbers } from '../statistics.ts'
import { ALARM_SITE, ALARM_SPAN, fillAlarms, FIRST_ALARM, localTime } from '../stored-alarms.ts'

const MILLION = 1_000_000

/** One client after the other: what an answer takes, not how many there are in a second. */
const CONNECTIONS = 1

const TARGET = { target: { atMost: 20 } } as const

export const alarmLists: Scenario = {
  title: 'Lists of a million alarms: any filter, order and page; one connection',

  async run({ load, isQuick, say }) {
    await using folder = await makeDataFolder([], ALARM_SITE)
    say('filling 1 million alarms')
    fillAlarms(folder.database, MILLION)
    await using stack = new AsyncDisposableStack()
    const started = performance.now()
    const service = stack.use(await startReadable(folder))
    const ask = (filter: AlarmFilter, query: string) => askFor(service, filter, query)
    await ask({}, 'limit=1')
    const ready = (performance.now() - started) / 1000

    const findings: Finding[] = []
    for (const kind of KINDS) {
      say(kind.name)
      findings.push(await measureKind(load, service, kind, isQuick ? 60 : 400))
    }
    say('counts')
    findings.push(await measureCounts(load, service, isQuick ? 200 : 1_000))
    return [
      ...findings,
      { what: 'process start to the first list, nothing loaded before', value: ready, unit: 's' },
      { what: 'memory afterwards', value: await residentMegabytes(service.pid), unit: 'MB' },
    ]
  },
}

type Kind = {
  name: string
  filter(): AlarmFilter
  limit?: number
  /** Without it the page may be any of those that there are. */
  isFirst?: true
  isNoTarget?: true
}

const random = randomNumbers(11)
const below = (limit: number): number => Math.floor(random() * limit)
const pick = <Value>(values: readonly Value[]): Value => values[below(values.length)]!
const day = (): string => localTime(FIRST_ALARM + random() * ALARM_SPAN)
const window = () => {
  const [startTime, endTime] = [day(), day()].toSorted() as [string, string]
  return { startTime, endTime }
}
const oneDay = () => {
  const startTime = day()
  return { startTime, endTime: `${startTime.slice(0, 10)} 23:59:59` }
}
const status = () => pick(['new', 'history'] as const)
const COMMON = ['level 2', 'station', '应变', '沉', 'threshold', 'a', '7', '(80,+)']
const rare = () =>
  pick([`SG-${1000 + below(4000)}`, `${below(150)}.${100 + below(900)}`, '100%', '_'])

const KINDS: readonly Kind[] = [
  { name: 'no filter, first page', filter: () => ({}), isFirst: true },
  { name: 'no filter', filter: () => ({}) },
  { name: 'by status', filter: () => ({ status: status() }) },
  { name: 'of two structures', filter: () => ({ structures: [1 + below(50), 1 + below(50)] }) },
  {
    name: 'by level, category and status',
    filter: () => ({ levels: [1 + below(3)], types: [1 + below(3)], status: status() }),
  },
  { name: 'in a window of any length', filter: window },
  { name: 'in one day', filter: oneDay },
  { name: 'by a common keyword', filter: () => ({ keywords: pick(COMMON) }) },
  { name: 'by a rare keyword', filter: () => ({ keywords: rare() }) },
  {
    name: 'by everything together',
    filter: () => ({
      ...window(),
      structures: [1 + below(50), 1 + below(50), 1 + below(50)],
      levels: [1, 2],
      types: [1, 2, 3],
      status: 'history',
      keywords: pick(COMMON),
    }),
  },
  { name: 'no filter, 1,000 a page', filter: () => ({}), limit: 1_000, isNoTarget: true },
]

async function measureKind(
  load: LoadProcess,
  service: Service,
  { name, filter, limit = 20, isFirst, isNoTarget }: Kind,
  requests: number,
): Promise<Finding> {
  const sent: Buffer[] = []
  while (sent.length < requests) {
    const body = filter()
    const { count } = await askFor(service, body, 'limit=1')
    const offset = isFirst ? 0 : below(Math.max(1, count - limit))
    const order = pick(['level', 'count', 'startTime', 'endTime'])
    const query = `limit=${limit}&offset=${offset}&orderBy=${order}&orderDirection=${pick(['asc', 'desc'])}`
    sent.push(postRequest(`${LIST}?${query}`, service.token, JSON.stringify(body)))
  }
  const { response } = await load.run(service, { connections: CONNECTIONS, requests: sent })
  return {
    what: `${name}: 99 of 100 answers within (median, slowest)`,
    value: response.p99,
    unit: 'ms',
    range: [response.median, response.greatest],
    ...(isNoTarget ? {} : TARGET),
  }
}

async function measureCounts(
  load: LoadProcess,
  service: Service,
  requests: number,
): Promise<Finding> {
  const paths = Array.from({ length: requests }, () => `${LIST}/${status()}/count`)
  const { response } = await load.run(service, {
    connections: CONNECTIONS,
    requests: paths.map((path) => getRequest({ path: `${path}?token=${service.token}` })),
  })
  return {
    what: 'count: 99 of 100 answers within (median, slowest)',
    value: response.p99,
    unit: 'ms',
    range: [response.median, response.greatest],
    ...TARGET,
  }
}

type Service = Target & { token: string }

const LIST = '/api/v1/users/1/alarms'

async function askFor({ port, ca, token }: Service, filter: AlarmFilter, query: string) {
  const { status: code, body } = await fetchHttps({
    port,
    ca,
    method: 'POST',
    path: `${LIST}?${query}`,
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    content: JSON.stringify(filter),
  })
  if (code !== 200) throw new Error(`a wrong answer: ${code} ${body.toString()}`)
  return JSON.parse(body.toString()) as AlarmList
}
