import { availableParallelism } from 'node:os'
import type { Config } from '../config/settings.ts'

/** How many processes serve the interface. */
export const workerCount = ({ 'http.workers': workers }: Pick<Config, 'http.workers'>): number =>
  workers === 'auto' ? Math.min(availableParallelism(), 256) : workers
