import type { Counter, Gauge } from 'prom-client'

/** A metric without labels; it has no line while it has no value. */
export type GaugeRow = readonly [
  name: string,
  help: string,
  read: () => number | undefined | Promise<number>,
]

/** Metrics that are read when they are requested. */
export async function makeGauges(rows: readonly GaugeRow[]): Promise<Gauge[]> {
  const { Gauge } = await import('prom-client')
  return rows.map(
    ([name, help, read]) =>
      new Gauge({
        name,
        help,
        registers: [],
        async collect() {
          const value = await read()
          if (value === undefined) this.remove()
          else this.set(value)
        },
      }),
  )
}

/** A count since the start, without labels. */
export type CounterRow = readonly [name: string, help: string, read: () => number]

/** Counts that are read when they are requested. */
export async function makeCounters(rows: readonly CounterRow[]): Promise<Counter[]> {
  const { Counter } = await import('prom-client')
  return rows.map(
    ([name, help, read]) =>
      new Counter({
        name,
        help,
        registers: [],
        collect() {
          this.reset()
          this.inc(read())
        },
      }),
  )
}
