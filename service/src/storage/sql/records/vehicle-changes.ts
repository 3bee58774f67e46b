import { isConflict } from '../../../errors/conflict-error.ts'
import { holdChange, IS_ENDED, markUndone, requireUndoable } from './change-states.ts'
import type { SqlEngine } from '../engine.ts'
import type { Statement } from '../statement.ts'
import type { ChangeStore, UndoCounts } from '../../stores/changes.ts'
import type { TrafficSpan } from '../../stores/traffic.ts'

export const VEHICLE_COLUMNS =
  'structure_id, time, identity, overload, license, load, record, details'

/** Statements that delete vehicles: the first keeps them for `undo`, the second deletes them. */
export function removeVehicles({
  structure,
  from,
  to,
  limit,
  change,
}: TrafficSpan & { limit: number; change: number }): Statement[] {
  const some = `from traffic_records where structure_id = ? and time between ? and ?
    order by time, identity limit ?`
  return [
    {
      sql: `insert into change_vehicles (change_id, ${VEHICLE_COLUMNS})
        select ?, ${VEHICLE_COLUMNS} from (select * ${some}) as oldest where true
        on conflict (change_id, structure_id, time, identity) do nothing`,
      width: 5,
      values: [change, structure, from, to, limit],
    },
    {
      sql: `delete from traffic_records where structure_id = ? and (time, identity) in
        (select time, identity ${some})`,
      width: 5,
      values: [structure, structure, from, to, limit],
    },
  ]
}

/**
 * Restores some vehicles of a change, unless they were stored again; undefined where there are none.
 * `isDone` where nothing else is left.
 */
export async function restoreVehicles(
  engine: SqlEngine,
  change: number,
  options: Parameters<ChangeStore['undo']>[1],
): Promise<(UndoCounts & { isDone: boolean }) | undefined> {
  for (let attempt = 1; ; attempt++)
    try {
      return await restoreSome(engine, change, options)
    } catch (error) {
      // Somebody else undoes the same change.
      if (!isConflict(error, 'rows') || attempt === ATTEMPTS) throw error
    }
}

const ATTEMPTS = 20

async function restoreSome(
  engine: SqlEngine,
  change: number,
  { limit, now }: Parameters<ChangeStore['undo']>[1],
): Promise<(UndoCounts & { isDone: boolean }) | undefined> {
  await requireUndoable(engine, change)
  const [count = 0, others = 0] =
    (await engine.row<[number, number]>(COUNT, change, limit, change, change)) ?? []
  if (count === 0) return undefined
  const isDone = count < limit && others === 0
  const some = `from change_vehicles where change_id = ?
    order by structure_id, time, identity limit ?`
  const [, restored] = await engine.write([
    holdChange(change),
    {
      sql: `insert into traffic_records (${VEHICLE_COLUMNS}) select ${VEHICLE_COLUMNS}
        from (select * ${some}) as kept where true on conflict (structure_id, time, identity) do nothing`,
      width: 2,
      values: [change, limit],
    },
    { ...deleteChangeVehicles(`change_id = ?`, some, [change, change, limit]), expected: count },
    ...(isDone ? markUndone(change, now) : []),
  ])
  if (restored === undefined) throw new Error('an insert has no outcome')
  return { removed: 0, restored: restored.changed, left: count - restored.changed, isDone }
}

/** How many vehicles of a change there are, up to a number, and whether it has anything else. */
const COUNT = `select
  (select count(*) from (select 1 from change_vehicles where change_id = ? limit ?) as found),
  case when exists (select 1 from change_records where change_id = ?)
    or exists (select 1 from change_waveforms where change_id = ?) then 1 else 0 end`

/** Deletes some vehicles of changes that can no longer be undone. */
export const expireVehicles = (before: number, limit: number): Statement =>
  deleteChangeVehicles(
    'true',
    `from change_vehicles
      where change_id in (select id from changes where ${IS_ENDED}) limit ?`,
    [before, limit],
  )

const deleteChangeVehicles = (
  where: string,
  some: string,
  values: readonly unknown[],
): Statement => ({
  sql: `delete from change_vehicles where ${where} and (change_id, structure_id, time, identity) in
    (select change_id, structure_id, time, identity ${some})`,
  width: values.length,
  values,
})
