import type { Storage } from '../storage/storage.ts'
import { restAfter } from './rest.ts'

type Options = {
  storage: Pick<Storage, 'sealedDays'>
  /** The part of the time that it takes, up to 1. */
  share?: number
  signal?: AbortSignal
}

/** Gives free space back to the disk, in small steps, so that whoever writes hardly waits. */
export async function reclaimSpace({ storage, share = 1, signal }: Options): Promise<void> {
  let isDone = false
  while (!isDone) {
    if (signal?.aborted === true) return
    const began = performance.now()
    ;({ isDone } = await storage.sealedDays.reclaimSpace())
    await restAfter(began, share, signal)
  }
}
