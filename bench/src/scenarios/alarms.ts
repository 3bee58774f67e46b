import { gatewayBatch, singleRecord } from '../batches.ts'
import { measureBeside, type Way } from '../beside.ts'
import type { LoadProcess } from '../load/load.ts'
import type { Finding, Scenario } from '../scenario.ts'
import { series } from '../series.ts'
import { DAY_RECORDS, ITEM_KEYS, SITE, stationIds } from '../site.ts'

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

type MeasuredWay = Way & {
  name: string
  /** The part of all values that is over a limit. */
  share: number
  target?: Finding['target']
}

const batch = { path: 'theme', connections: 4, requests: 200, records: gatewayBatch }
const single = { path: 'theme', connections: 64, requests: 6_000, records: singleRecord }
const AT_LEAST = { target: { atLeast: 0.75 } }

const WAYS: readonly MeasuredWay[] = [
  { ...batch, ...AT_LEAST, name: 'batches of 1,000, nothing over a limit', share: 0 },
  { ...batch, name: 'batches of 1,000, one value in 1,000 over a limit', share: 1e-3 },
  { ...batch, name: 'batches of 1,000, one value in 100 over a limit', share: 1e-2 },
  { ...single, ...AT_LEAST, name: 'single records, 64 clients, nothing over a limit', share: 0 },
  { ...single, name: 'single records, 64 clients, one value in 100 over a limit', share: 1e-2 },
]

/** The throughput with thresholds by that without, round by round. */
async function measureWay(
  load: LoadProcess,
  { name, share, target, ...way }: MeasuredWay,
  isQuick: boolean,
): Promise<Finding[]> {
  const sites = { plain: SITE, loaded: siteWith(share) }
  const { rate, cpu } = await measureBeside(load, way, sites, isQuick ? 2 : 7)
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

/** Limits over which about such a part of the values of the measured day lies. */
export function siteWith(share: number): string {
  const items = ITEM_KEYS.map((key, at) => {
    const values = [...series(DAY_RECORDS)]
      .flatMap((record) => record.values[at] ?? [])
      .toSorted((a, b) => b - a)
    const limit =
      (values[Math.floor(values.length * share)] ?? 0) + (share * values.length < 1 ? 1 : 0)
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
            clearAfter: 1
            items:
${items.join('\n')}
`
}
