import type { Storage } from '../storage/storage.ts'
import { inShare, type CpuShare } from './cpu-share.ts'

/** Returns free space of the database to the disk in small steps, so that writers hardly wait. */
export async function reclaimSpace(
  { seals }: Pick<Storage, 'seals'>,
  pace: CpuShare = {},
): Promise<void> {
  while (pace.signal?.aborted !== true) {
    const { isDone } = await inShare(pace, () => seals.tidy())
    if (isDone) return
  }
}
