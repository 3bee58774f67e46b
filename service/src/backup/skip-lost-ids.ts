import type { Storage } from '../storage/storage.ts'

/** More alarms than a site raises between a backup and the loss of its data at once. */
const MARGIN = 100_000
/** More seconds mean that a clock is wrong. Ids end at 2^31. */
const MOST_SECONDS = 10_000_000

/**
 * How many ids of alarms a restore leaves out: a client that has seen an id does not look again at an alarm
 * of the same id. One for each second since the data: a second restore of a backup leaves out those of the
 * first.
 */
export function countLostIds(instant: number, now: number): number {
  const seconds = Math.ceil((now - instant) / 1000)
  return MARGIN + Math.max(0, Math.min(MOST_SECONDS, seconds))
}

/** Lets alarms after a restore have ids that no alarm had which was lost. */
export async function skipLostIds(
  { copying }: Pick<Storage, 'copying'>,
  instant: number,
  now: number,
): Promise<void> {
  const last = await copying.findLastId('alarms', 'id')
  await copying.write(copying.setLastId('alarms', 'id', last + countLostIds(instant, now)))
}
