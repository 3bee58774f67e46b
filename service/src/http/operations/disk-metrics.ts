import type { Metric } from 'prom-client'
import type { DiskSpaceState } from '../../storage/disk-space.ts'
import { makeGauges } from './plain-metrics.ts'

/** Metrics of the disk of the data folder. */
export const diskMetrics = (disk: () => DiskSpaceState): Promise<Metric[]> =>
  makeGauges([
    [
      'plumbline_disk_free_bytes',
      'Free bytes of the disk of the data folder.',
      () => disk().freeBytes,
    ],
    [
      'plumbline_disk_low',
      '1 while fewer bytes are free than storage.warnFreeMegabytes, 0 otherwise.',
      () => (disk().state === 'enough' ? 0 : 1),
    ],
    [
      'plumbline_intake_stopped',
      '1 while nothing is taken in because the disk is nearly full, 0 otherwise.',
      () => (disk().state === 'stopped' ? 1 : 0),
    ],
  ])
