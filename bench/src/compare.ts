import type { LoadProcess, Measured, Target } from './load/load.ts'
import type { Finding } from './scenario.ts'
import { median, ratio } from './statistics.ts'

/** A server under a load; of several, each is measured in every round. */
export type Contender = { name: string; target: Target; requests: readonly Uint8Array[] }

export type Rounds = { rounds: number; milliseconds: number; connections: number }

/** What the rounds of one contender gave, in their order. */
export type Series = { rates: number[]; cpuPerResponse: number[]; loads: Measured[] }

const WARM_UP_MILLISECONDS = 700

/**
 * Measures contenders in turns, A B C and then C B A, one at a time.
 *
 * What disturbs a shared machine so disturbs all of them alike; compare by the rounds' ratios.
 */
export async function compare<Names extends string>(
  load: LoadProcess,
  contenders: Readonly<Record<Names, Contender>>,
  { rounds, milliseconds, connections }: Rounds,
): Promise<Record<Names, Series>> {
  const all = Object.entries<Contender>(contenders)
  const series = Object.fromEntries(
    all.map(([name]) => [name, { rates: [], cpuPerResponse: [], loads: [] } satisfies Series]),
  ) as unknown as Record<Names, Series>

  for (const [, { target, requests }] of all)
    await load.run(target, { connections, requests, milliseconds: WARM_UP_MILLISECONDS })
  for (let round = 0; round < rounds; round++) {
    for (const [name, { target, requests }] of round % 2 === 0 ? all : all.toReversed()) {
      const measured = await load.run(target, { connections, requests, milliseconds })
      const { rates, cpuPerResponse, loads } = series[name as Names]
      rates.push((measured.responses / measured.milliseconds) * 1000)
      cpuPerResponse.push(measured.serverCpuMilliseconds / measured.responses)
      loads.push(measured)
    }
  }
  return series
}

type Bound = Pick<Finding, 'target'>

/** How many times the throughput of another, and how many times less processor time a request. */
export function advantage(
  what: string,
  own: Series,
  other: Series,
  bound: Bound = {},
): [rate: Finding, cpu: Finding] {
  const rate = ratio(own.rates, other.rates)
  const cpu = ratio(other.cpuPerResponse, own.cpuPerResponse)
  return [
    {
      what: `${what}, requests/s`,
      value: rate.median,
      range: [rate.least, rate.greatest],
      ...bound,
    },
    {
      what: `${what}, by CPU per request`,
      value: cpu.median,
      range: [cpu.least, cpu.greatest],
      ...bound,
    },
  ]
}

/** The figures themselves, which only this machine at this hour gives. */
export function absolutes(name: string, { rates, cpuPerResponse, loads }: Series): Finding[] {
  const busy = loads.map(({ cpuMilliseconds, milliseconds }) => cpuMilliseconds / milliseconds)
  return [
    { what: `${name}: requests/s`, value: median(rates), unit: '/s' },
    { what: `${name}: server CPU per request`, value: median(cpuPerResponse), unit: 'ms' },
    { what: `${name}: cores the load process used`, value: median(busy), unit: 'cores' },
  ]
}
