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

/**
 * Lets what comes after a restore have ids that nothing had which was lost: alarms, summaries of
 * notifications, and notifications of further transitions of alarms that were restored.
 */
export async function skipLostIds(
  { copying }: Pick<Storage, 'copying'>,
  instant: number,
  now: number,
): Promise<void> {
  for (const table of ['alarms', 'deliveries']) {
    const last = await copying.findLastId(table, 'id')
    await copying.write(copying.setLastId(table, 'id', last + countLostIds(instant, now)))
  }
  await copying.write([
    {
      sql: `insert into meta (key, value) values ('restored_at', ?)
        on conflict (key) do update set value = excluded.value`,
      width: 1,
      values: [now],
    },
  ])
}
