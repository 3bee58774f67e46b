import { gatewayBatch, singleRecord, type SentRecord } from '../batches.ts'
import type { LoadProcess, Target } from '../load/load.ts'
import { postRequest } from '../load/requests.ts'
import type { Finding, Scenario } from '../scenario.ts'
import { makeDataFolder } from '../servers/data-folder.ts'
import { startService } from '../servers/service.ts'
import { series } from '../series.ts'
import { DAY_RECORDS, ITEM_KEYS, SITE, stationIds } from '../site.ts'
import { ratio } from '../statistics.ts'

export const alarms: Scenario = {
  title: 'Judging: three levels on every item of every station',

  async run({ load, isQuick, say }) {
    const findings: Finding[] = []
    for (const way of WAYS) {
      say(way.name)
      findings.push(...(await measureWay(load, way, isQuick)))
    }
    return findings
  },
}

type Way = {
  name: string
  connections: number
  requests: number
  records(number: number): SentRecord[]
  /** The part of all values that is over a limit. */
  share: number
  target?: Finding['target']
}

const batch = { connections: 4, requests: 200, records: gatewayBatch }
const single = { connections: 64, requests: 6_000, records: singleRecord }
const AT_LEAST = { target: { atLeast: 0.75 } }

const WAYS: readonly Way[] = [
  { ...batch, ...AT_LEAST, name: 'batches of 1,000, nothing over a limit', share: 0 },
  { ...batch, name: 'batches of 1,000, one value in 1,000 over a limit', share: 1e-3 },
  { ...batch, name: 'batches of 1,000, one value in 100 over a limit', share: 1e-2 },
  { ...single, ...AT_LEAST, name: 'single records, 64 clients, nothing over a limit', share: 0 },
  { ...single, name: 'single records, 64 clients, one value in 100 over a limit', share: 1e-2 },
]

/** The throughput with thresholds by that without, round by round. */
async function measureWay(
  load: LoadProcess,
  { name, connections, requests, records, share, target }: Way,
  isQuick: boolean,
): Promise<Finding[]> {
  const rounds = isQuick ? 2 : 7
  const size = records(0).length
  await using plainFolder = await makeDataFolder()
  await using judgedFolder = await makeDataFolder([], siteWith(share))
  await using plain = await startService(plainFolder.path)
  await using judged = await startService(judgedFolder.path)
  const contenders = [
    { target: { ...plain, ca: plainFolder.ca }, rates: [] as number[], cpu: [] as number[] },
    { target: { ...judged, ca: judgedFolder.ca }, rates: [] as number[], cpu: [] as number[] },
  ] as const
  for (let round = 0; round <= rounds; round++) {
    const bodies = Array.from({ length: requests }, (_, at) =>
      JSON.stringify({ records: records(round * requests + at) }),
    )
    for (const one of round % 2 === 0 ? contenders : contenders.toReversed()) {
      const result = await send(load, one.target, bodies, connections, size)
      if (round === 0) continue
      one.rates.push(((requests * size) / result.milliseconds) * 1000)
      one.cpu.push((result.serverCpuMilliseconds / requests / size) * 1000)
    }
  }
  const rate = ratio(contenders[1].rates, contenders[0].rates)
  const cpu = ratio(contenders[1].cpu, contenders[0].cpu)
  return [
    {
      what: `${name}: of the records/s without thresholds`,
      value: rate.median,
      range: [rate.least, rate.greatest],
      ...(target === undefined ? {} : { target }),
    },
    {
      what: `${name}: CPU by that without`,
      value: cpu.median,
      range: [cpu.least, cpu.greatest],
    },
  ]
}

const send = (
  load: LoadProcess,
  target: Target,
  bodies: readonly string[],
  connections: number,
  size: number,
) =>
  load.run(target, {
    connections,
    requests: bodies.map((body) => postRequest('/ingest/v1/theme', KEY, body)),
    expectedBody: JSON.stringify({ accepted: size, replaced: 0, rejected: [] }),
  })

const KEY = 'plk_bench'

/** Limits over which about such a part of the values of the measured day lies. */
export function siteWith(share: number): string {
  const items = ITEM_KEYS.map((key, at) => {
    const values = [...series(DAY_RECORDS)]
      .map((record) => record.values[at]!)
      .toSorted((a, b) => b - a)
    const limit = values[Math.floor(values.length * share)]! + (share * values.length < 1 ? 1 : 0)
    const levels = [
      `{ level: 3, value: '(-9000,-8000);(${limit},${limit + 10})' }`,
      `{ level: 2, value: '(-9500,-9000);(${limit + 10},${limit + 20})' }`,
      `{ level: 1, value: '(${limit + 20},+)' }`,
    ]
    return `              - { item: ${key}, hysteresis: { percent: 1 }, config: [{ thresholds: [${levels.join()}] }] }`
  })
  return `${SITE}        thresholds:
          - batchNo: 0d8a2f4e-5c39-4a54-9a53-2f0f5d1f7b11
            stations: [${stationIds().join()}]
            items:
${items.join('\n')}
`
}
