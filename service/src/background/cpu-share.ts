import { setTimeout } from 'node:timers/promises'

export type CpuShare = {
  /** The share of one core that the work takes, up to 1. */
  share?: number | undefined
  /** Ends a pause. */
  signal?: AbortSignal | undefined
}

/** Does a step of work, then pauses so that the steps take no more than their share of a core. */
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
