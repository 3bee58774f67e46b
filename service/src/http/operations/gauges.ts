import type { Gauge } from 'prom-client'

/** A metric without labels; it has no line while it has no value. */
export type GaugeRow = readonly [name: string, help: string, read: () => number | undefined]

/** Metrics that are read when they are requested. */
export async function makeGauges(rows: readonly GaugeRow[]): Promise<Gauge[]> {
  const { Gauge } = await import('prom-client')
  return rows.map(
    ([name, help, read]) =>
      new Gauge({
        name,
        help,
        registers: [],
        collect() {
          const value = read()
          if (value === undefined) this.remove()
          else this.set(value)
        },
      }),
  )
}
