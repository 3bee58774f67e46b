/** A table whose rows are spread over the workers by a column. */
export type DistributedTable = Readonly<{
  name: string
  column: 'source' | 'structure_id'
  /** The primary key on the workers, where the one of a plain database lacks the column. */
  primaryKey?: readonly string[]
}>

const ofKind = (kind: 'theme' | 'raw'): DistributedTable[] => [
  { name: `${kind}_records`, column: 'source' },
  { name: `${kind}_open_days`, column: 'source' },
  { name: `${kind}_open_hours`, column: 'source' },
  { name: `${kind}_sources`, column: 'source' },
  { name: `${kind}_marks`, column: 'source' },
  { name: `${kind}_sealed_parts`, column: 'source', primaryKey: ['source', 'id'] },
]

/**
 * What is large, in the order in which it is distributed. The tables of one column are co-located: what
 * a source has lies in shards of the same worker.
 *
 * All other tables are local ones of the coordinator that Citus manages, so that a transaction over
 * them and a shard commits on both or on none. Reference tables could not be written while a worker
 * is down.
 */
export const DISTRIBUTED_TABLES: readonly DistributedTable[] = [
  ...ofKind('theme'),
  ...ofKind('raw'),
  { name: 'early_records', column: 'source' },
  { name: 'traffic_records', column: 'structure_id' },
]
