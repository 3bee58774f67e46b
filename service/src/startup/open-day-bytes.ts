import type { Config } from '../config/settings.ts'
import { workerCount } from './worker-count.ts'

/** The memory for compressed hours of open days in each process that serves the interface. */
export const openDayBytes = (
  config: Pick<Config, 'storage.openDayCacheMegabytes' | 'http.workers'>,
): number => Math.floor((config['storage.openDayCacheMegabytes'] * 2 ** 20) / workerCount(config))
