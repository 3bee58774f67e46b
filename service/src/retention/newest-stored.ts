import { setImmediate } from 'node:timers/promises'
import type { Catalogue } from '../domain/catalogue.ts'
import type { RetentionStore } from '../storage/storage.ts'
import { sourcesOf } from './expire-daily.ts'

/** The newest instant that any record of the site has; undefined where there is none. */
export async function findNewestStored(
  retention: Pick<RetentionStore, 'findNewest'>,
  catalogue: Catalogue,
): Promise<number | undefined> {
  let newest: number | undefined
  for (const structure of catalogue.structures.keys())
    for (const { kind, source } of sourcesOf(catalogue, structure)) {
      const instant = await retention.findNewest(kind, source, Number.MAX_SAFE_INTEGER)
      if (instant !== undefined) newest = Math.max(newest ?? instant, instant)
      await setImmediate()
    }
  return newest
}
