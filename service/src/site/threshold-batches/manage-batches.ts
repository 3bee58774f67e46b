import { RefusedError } from '../../errors/refused-error.ts'
import type { SiteEntry, ThresholdBatchEntry } from '../../domain/site/site-entry.ts'
import type { SiteStore } from '../../storage/storage.ts'
import { changeSite } from '../change-site.ts'
import { canonicalUuid } from '../file/file-parts.ts'
import { planBatch, type FactorPlace } from './plan-batch.ts'

type BatchChange = FactorPlace & {
  /** A threshold batch as in a site file, with its `batchNo`. */
  batch: Record<string, unknown>
  /** `create` refuses a batch that exists, `change` one that the structure and factor do not have. */
  mode: 'create' | 'change'
}

/** Stores a threshold batch; returns its id, and notes on values that are allowed but unusual. */
export function putBatch(
  sites: SiteStore,
  { batch, mode, ...place }: BatchChange,
): Promise<{ batchNo: string; notes: string[] }> {
  return changeSite(sites, ({ entries: stored }) => {
    const { entry, notes } = planBatch(stored, place, batch)
    const { id } = entry
    const existing = findBatch(stored, id)
    if (mode === 'create' && existing !== undefined)
      throw new RefusedError('invalid', `the threshold batch ${id} exists already`)
    if (mode === 'change') requireBatch(existing, id, place)
    const at = stored.findLastIndex((one) => isOf(one, place))
    const put =
      existing === undefined
        ? stored.toSpliced(at + 1, 0, entry)
        : stored.map((one) => (one === existing ? entry : one))
    return { accepted: { put, remove: [], withRecords: false }, result: { batchNo: id, notes } }
  })
}

/** Removes a threshold batch of a structure and factor. */
export function removeBatch(sites: SiteStore, place: FactorPlace, batchNo: string): Promise<void> {
  return changeSite(sites, ({ entries: stored }) => {
    const id = canonicalUuid(batchNo)
    const existing = requireBatch(findBatch(stored, id), id, place)
    const put = stored.filter((one) => one !== existing)
    return { accepted: { put, remove: [existing], withRecords: false }, result: undefined }
  })
}

/** Whether a new batch follows this entry in the order of a site file. */
function isOf(entry: SiteEntry, { structure, factor }: FactorPlace): boolean {
  if (entry.kind !== 'station' && entry.kind !== 'thresholdBatch') return false
  return entry.structure === structure && entry.factor === factor
}

const findBatch = (stored: readonly SiteEntry[], id: string) =>
  stored.find(
    (entry): entry is ThresholdBatchEntry => entry.kind === 'thresholdBatch' && entry.id === id,
  )

function requireBatch(
  batch: ThresholdBatchEntry | undefined,
  id: string,
  { structure, factor }: FactorPlace,
): ThresholdBatchEntry {
  if (batch?.structure === structure && batch.factor === factor) return batch
  throw new RefusedError(
    'absent',
    `Structure ${structure} has no threshold batch ${id} of factor ${factor}.`,
  )
}
