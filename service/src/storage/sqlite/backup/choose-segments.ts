import type { Database } from 'better-sqlite3'
import { FIXED_ROWS } from './fixed-rows.ts'

/** A segment of an earlier backup. */
export type EarlierSegment = {
  bytes: number
  /** The ids that it was made for. */
  ids: number
}

/** Less of a segment in use than this: what is in use is copied again, so that the rest can be deleted. */
const KEPT_SHARE = 0.5

/** More segments below one of these sizes than this become one. */
const SIZES = [16 * 2 ** 20, 512 * 2 ** 20]
const MOST_OF_A_SIZE = 30

/** The segments of the base that are used again. */
export function chooseSegments(
  database: Database,
  earlier: ReadonlyMap<string, EarlierSegment>,
): string[] {
  const used = countUsed(database)
  let chosen = [...earlier].filter(
    ([name, { ids }]) => (used.get(name) ?? 0) > 0 && (used.get(name) ?? 0) >= KEPT_SHARE * ids,
  )
  for (const size of SIZES) {
    const small = chosen.filter(([, { bytes }]) => bytes < size)
    if (small.length > MOST_OF_A_SIZE) chosen = chosen.filter(([, { bytes }]) => bytes >= size)
  }
  return chosen.map(([name]) => name)
}

/** How many ids of each segment the database still has. */
function countUsed(database: Database): Map<string, number> {
  const used = new Map<string, number>()
  for (const { kind } of FIXED_ROWS) {
    const rows = database
      .prepare<[], { name: string; ids: number }>(
        `select name, count(*) as ids from base.${kind} as places
          join base.segments on segments.number = places.segment
          where places.id in (select id from temp.live_${kind}) group by name`,
      )
      .all()
    for (const { name, ids } of rows) used.set(name, (used.get(name) ?? 0) + ids)
  }
  return used
}
