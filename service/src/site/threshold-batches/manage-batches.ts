import { RefusedError } from '../../errors/refused-error.ts'
import type { SiteEntry, ThresholdBatchEntry } from '../../domain/site/site-entry.ts'
import type { SiteStore } from '../../storage/storage.ts'
import { canonicalUuid } from '../file/file-parts.ts'
import { planBatch, type FactorPlace } from './plan-batch.ts'

const ATTEMPTS = 5

export type BatchChange = FactorPlace & {
  /** In the shape of the site file's, its `batchNo` included. */
  batch: Record<string, unknown>
  /** Whether there must be no batch of this number yet, or one of this structure and factor. */
  mode: 'create' | 'change'
}

/** Keeps a threshold batch; gives notes on what is allowed and perhaps not meant. */
export function putBatch(
  sites: SiteStore,
  { batch, mode, ...place }: BatchChange,
): Promise<string[]> {
  return alter(sites, (stored) => {
    const { entry, notes } = planBatch(stored, place, batch)
    const { id } = entry
    const known = findBatch(stored, id)
    if (mode === 'create' && known !== undefined)
      throw new RefusedError('invalid', `there is a threshold batch ${id} already`)
    if (mode === 'change') requireBatch(known, id, place)
    if (known !== undefined)
      return { put: stored.map((one) => (one === known ? entry : one)), remove: [], result: notes }
    const at = stored.findLastIndex((one) => isOf(one, place))
    return { put: stored.toSpliced(at + 1, 0, entry), remove: [], result: notes }
  })
}

/** Removes a threshold batch of a structure and factor. */
export function removeBatch(sites: SiteStore, place: FactorPlace, batchNo: string): Promise<void> {
  return alter(sites, (stored) => {
    const id = canonicalUuid(batchNo)
    const known = requireBatch(findBatch(stored, id), id, place)
    return { put: stored.filter((one) => one !== known), remove: [known], result: undefined }
  })
}

type Alteration<Result> = { put: SiteEntry[]; remove: SiteEntry[]; result: Result }

/** Changes the site as it stands; when somebody else was faster, as it stands then. */
async function alter<Result>(
  sites: SiteStore,
  change: (stored: readonly SiteEntry[]) => Alteration<Result>,
): Promise<Result> {
  for (let attempt = 1; attempt <= ATTEMPTS; attempt++) {
    const { version, entries } = await sites.load()
    const { put, remove, result } = change(entries)
    if (await sites.apply({ put, remove, withRecords: false }, version)) return result
  }
  throw new RefusedError('unavailable', 'The site is being changed by somebody else; try again.', {
    retryAfterSeconds: 1,
  })
}

/** After these a batch stands in the order of a site file. */
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
