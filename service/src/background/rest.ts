import { setTimeout } from 'node:timers/promises'

/** Rests after work that began at a moment, so that it takes no more than a share of the time. */
export async function restAfter(began: number, share: number, signal?: AbortSignal): Promise<void> {
  const rest = (performance.now() - began) * (1 / share - 1)
  if (rest > 1) await setTimeout(rest, undefined, signal && { signal }).catch(() => undefined)
}
