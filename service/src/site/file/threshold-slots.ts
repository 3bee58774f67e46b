import type { ThresholdSlot } from '../../domain/site/site-entry.ts'
import type { BatchPart } from './file-parts.ts'

/** The slots of a threshold item, with `null` for times that are left out. */
export function flattenSlots(config: BatchPart['items'][number]['config'] = []): ThresholdSlot[] {
  return config.map(({ startTime = null, endTime = null, thresholds }) => ({
    startTime,
    endTime,
    thresholds: thresholds.map(({ level, value }) => ({ level, value })),
  }))
}
