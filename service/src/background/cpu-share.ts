import { setTimeout } from 'node:timers/promises'

export type CpuShare = {
  /** The part of one core's time that the work takes, up to 1. */
  share?: number | undefined
  /** Ends a pause. */
  signal?: AbortSignal | undefined
}

/** Does a step of work, then pauses for so long that the steps take no more than their share. */
export async function inShare<Result>(
  { share = 1, signal }: CpuShare,
  step: () => Promise<Result>,
): Promise<Result> {
  const began = performance.now()
  const result = await step()
  const pause = (performance.now() - began) * (1 / share - 1)
  if (pause > 1)
    await setTimeout(pause, undefined, signal === undefined ? {} : { signal }).catch(
      () => undefined,
    )
  return result
}
