import type { AlarmFilter, AlarmList } from '@plumbline/contract'
import { ALARM_QUERIES, below, pick, status, type AlarmQueries } from '../alarm-queries.ts'
import { measureAlarmWrites } from '../alarm-writes.ts'
import { fetchHttps } from '../load/fetch.ts'
import type { LoadProcess, Target } from '../load/load.ts'
import { getRequest, postRequest } from '../load/requests.ts'
import { residentMegabytes } from '../process-figures.ts'
import type { Finding, Scenario } from '../scenario.ts'
import { makeDataFolder } from '../servers/data-folder.ts'
import { startReadable } from '../servers/service.ts'
import { ALARM_SITE, fillAlarms } from '../stored-alarms.ts'

const MILLION = 1_000_000

/** One client after the other: what an answer takes, not how many there are in a second. */
const CONNECTIONS = 1

export const alarmLists: Scenario = {
  title: 'Lists of a million alarms: any filter, order and page; one connection',

  async run({ load, isQuick, say }) {
    await using folder = await makeDataFolder([], ALARM_SITE)
    await using empty = await makeDataFolder([], ALARM_SITE)
    say('filling 1 million alarms')
    fillAlarms(folder.database, MILLION)
    const findings: Finding[] = []
    {
      await using stack = new AsyncDisposableStack()
      const started = performance.now()
      const service = stack.use(await startReadable(folder))
      await askFor(service, {}, 'limit=1')
      const ready = (performance.now() - started) / 1000
      const memory = residentMegabytes(service.pid)
      for (const queries of ALARM_QUERIES) {
        say(queries.name)
        findings.push(await measureQueries(load, service, queries, isQuick ? 60 : 400))
      }
      say('counts')
      findings.push(
        await measureCounts(load, service, isQuick ? 200 : 1_000),
        { what: 'process start to the first list', value: ready, unit: 's' },
        { what: 'memory at the first list', value: memory, unit: 'MB' },
        { what: 'memory afterwards', value: residentMegabytes(service.pid), unit: 'MB' },
      )
    }
    say('writes')
    findings.push(
      ...(await measureAlarmWrites(empty.path, 'no alarm stored before')),
      ...(await measureAlarmWrites(folder.path, 'beside a million')),
    )
    return findings
  },
}

async function measureQueries(
  load: LoadProcess,
  service: Service,
  { name, filter, target, pages, limit = 20 }: AlarmQueries,
  requests: number,
): Promise<Finding> {
  const sent: Buffer[] = []
  while (sent.length < requests) {
    const body = filter()
    const offset = pages === 'any' ? await anyOffset(service, body, limit) : limit * below(3)
    const [by, direction] =
      pages === 'newest'
        ? ['startTime', 'desc']
        : [pick(['level', 'count', 'startTime', 'endTime']), pick(['asc', 'desc'])]
    const query = `limit=${limit}&offset=${offset}&orderBy=${by}&orderDirection=${direction}`
    sent.push(postRequest(`${LIST}?${query}`, service.token, JSON.stringify(body)))
  }
  const { response } = await load.run(service, { connections: CONNECTIONS, requests: sent })
  return toFinding(name, response, target)
}

async function anyOffset(service: Service, body: AlarmFilter, limit: number): Promise<number> {
  const { count } = await askFor(service, body, 'limit=1')
  return below(Math.max(1, count - limit))
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
  return toFinding('count', response, 20)
}

const toFinding = (
  name: string,
  { p99, median, greatest }: { p99: number; median: number; greatest: number },
  target?: number,
): Finding => ({
  what: `${name}: 99 of 100 answers within (median, slowest)`,
  value: p99,
  unit: 'ms',
  range: [median, greatest],
  ...(target === undefined ? {} : { target: { atMost: target } }),
})

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
