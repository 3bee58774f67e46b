import type { Storage } from '../storage/storage.ts'
import { inShare, type CpuShare } from './cpu-share.ts'

/** Returns free space of the database to the disk in small steps, so that writers hardly wait. */
export async function reclaimSpace(
  { sealedDays }: Pick<Storage, 'sealedDays'>,
  pace: CpuShare = {},
): Promise<void> {
  while (pace.signal?.aborted !== true) {
    const { isDone } = await inShare(pace, () => sealedDays.reclaimSpace())
    if (isDone) return
  }
}
