import type { SqlReader } from '../engine.ts'
import type { SqlWriter } from '../engine.ts'
import type { Statement } from '../statement.ts'
import type { UndoCounts } from '../../stores/changes.ts'
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

/** Restores some vehicles of a change, unless they were stored again; undefined where there are none. */
export async function restoreVehicles(
  { reader, writer }: { reader: SqlReader; writer: SqlWriter },
  change: number,
  limit: number,
): Promise<UndoCounts | undefined> {
  const [count = 0] =
    (await reader.row<[number]>(
      `select count(*) from (select 1 from change_vehicles where change_id = ? limit ?) as found`,
      change,
      limit,
    )) ?? []
  if (count === 0) return undefined
  const some = `from change_vehicles where change_id = ?
    order by structure_id, time, identity limit ?`
  const [restored] = await writer.write([
    {
      sql: `insert into traffic_records (${VEHICLE_COLUMNS}) select ${VEHICLE_COLUMNS}
        from (select * ${some}) as kept where true on conflict (structure_id, time, identity) do nothing`,
      width: 2,
      values: [change, limit],
    },
    deleteChangeVehicles(`change_id = ?`, some, [change, change, limit]),
  ])
  if (restored === undefined) throw new Error('an insert has no outcome')
  return { removed: 0, restored: restored.changed, left: count - restored.changed }
}

/** Deletes some vehicles of changes that can no longer be undone. */
export const expireVehicles = (before: number, limit: number): Statement =>
  deleteChangeVehicles(
    'true',
    `from change_vehicles
      where change_id in (select id from changes where started_at < ?) limit ?`,
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
