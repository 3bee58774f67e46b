import type { Metric } from 'prom-client'
import type { DiskSpaceState } from '../../storage/disk-space.ts'

const METRICS: readonly [name: string, help: string, read: (disk: DiskSpaceState) => number][] = [
  [
    'plumbline_disk_free_bytes',
    'Free bytes of the disk of the data folder.',
    ({ freeBytes }) => freeBytes,
  ],
  [
    'plumbline_disk_low',
    '1 while fewer bytes are free than storage.warnFreeMegabytes, 0 otherwise.',
    ({ state }) => (state === 'enough' ? 0 : 1),
  ],
  [
    'plumbline_intake_stopped',
    '1 while nothing is taken in because the disk is nearly full, 0 otherwise.',
    ({ state }) => (state === 'stopped' ? 1 : 0),
  ],
]

/** Metrics of the disk of the data folder. */
export async function diskMetrics(disk: () => DiskSpaceState): Promise<Metric[]> {
  const { Gauge } = await import('prom-client')
  return METRICS.map(
    ([name, help, read]) =>
      new Gauge({
        name,
        help,
        registers: [],
        collect() {
          this.set(read(disk()))
        },
      }),
  )
}
