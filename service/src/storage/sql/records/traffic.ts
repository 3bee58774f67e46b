import { inSlices } from '../../../concurrency/in-slices.ts'
import type { Dialect } from '../dialect.ts'
import { bytesOf, type SqlReader, type SqlWriter, type TextBytes } from '../engine.ts'
import { removeVehicles, VEHICLE_COLUMNS as COLUMNS } from './vehicle-changes.ts'
import type { TrafficQuery, TrafficStore } from '../../stores/traffic.ts'

const PAGE_VEHICLES = 1_000
const HOUR_MS = 3_600_000

export function trafficStore(engine: SqlReader & SqlWriter): TrafficStore {
  return {
    async write(rows) {
      const insert = `insert into traffic_records (${COLUMNS}) values (?, ?, ?, ?, ?, ?, ?, ?)
        on conflict (structure_id, time, identity)`
      const values: unknown[] = []
      await inSlices(rows, (row) => {
        const { structure, time, identity, overload, license, load, record, details } = row
        values.push(structure, time, identity, overload ? 1 : 0, license, load, record, details)
      })
      const [outcome] = await engine.write([
        {
          sql: `${insert} do nothing`,
          otherwise: `${insert} do update set overload = excluded.overload,
            license = excluded.license, load = excluded.load,
            record = excluded.record, details = excluded.details`,
          width: 8,
          values,
        },
      ])
      return { replaced: outcome?.otherwise ?? 0 }
    },

    async count({ structure, from, to }) {
      const sql = `select count(*) from traffic_records
        where structure_id = ? and time between ? and ?`
      return (await engine.row<[number]>(sql, structure, from, to))?.[0] ?? 0
    },

    async countBy({ structure, from, to, offset, bounds }) {
      const classes = bounds.map((_, at) => `when load >= ? then ${bounds.length - at}`)
      const weightClass = bounds.length === 0 ? '0' : `case ${classes.join(' ')} else 0 end`
      const rows = await engine.snapshot(async (reader) => {
        reader.check({
          table: 'traffic_records',
          owner: structure,
          from: partOf(from),
          to: partOf(to),
        })
        return reader.rows<[number, string | null, number, number, number]>(
          `select (time + cast(? as bigint)) / ${HOUR_MS} as hour, ${reader.dialect.jsonText('record', 'lane')} as lane,
              ${weightClass} as weight_class, count(*), count(*) filter (where overload = 1)
            from traffic_records where structure_id = ? and time between ? and ?
            group by 1, 2, 3`,
          offset,
          ...bounds.toReversed(),
          structure,
          from,
          to,
        )
      })
      return rows.map(([hour, lane, weight, count, overloads]) => {
        return { hour, lane: lane ?? '', weightClass: weight, count, overloads }
      })
    },

    async removeSome({ structure, from, to, limit, change }) {
      const [, removed] = await engine.write(removeVehicles({ structure, from, to, limit, change }))
      return removed?.changed ?? 0
    },

    async *read(query) {
      const { sql, parameters } = pageSql(engine.dialect, query)
      let after: [time: number, identity: string] = [query.from, '']
      let checked = -Infinity
      while (true) {
        const place = after
        const seen = checked
        const [records, count, time, identity] = await engine.snapshot(async (reader) => {
          const page = await reader.row<[TextBytes, number, number, string]>(
            sql,
            query.structure,
            ...place,
            query.to,
            ...parameters,
            PAGE_VEHICLES,
          )
          const [text, found, last, name] = page ?? [null, 0, 0, '']
          const end = found < PAGE_VEHICLES ? query.to : last
          // Each part of the guarded table is checked once, when its first vehicles are read.
          const from = Math.max(partOf(place[0]), seen + 1)
          checked = partOf(end)
          if (from <= checked)
            reader.check({ table: 'traffic_records', owner: query.structure, from, to: checked })
          return [bytesOf(text), found, last, name] as const
        })
        if (records !== null) yield records
        if (count < PAGE_VEHICLES) return
        after = [time, identity]
      }
    },
  }
}

/** The part of an instant in `GUARDED_TABLES`, which is some 70 minutes. */
const partOf = (time: number): number => Math.floor(time / 2 ** 22)

/** A query for the joined records of a page, their number, and the place of the last one. */
function pageSql(dialect: Dialect, { overload, license, loadFloor }: TrafficQuery) {
  const filters = [
    ...(overload === undefined ? [] : [{ sql: 'overload = ?', value: overload ? 1 : 0 }]),
    ...(license === undefined ? [] : [{ sql: dialect.contains('license'), value: license }]),
    ...(loadFloor === undefined ? [] : [{ sql: 'load >= ?', value: loadFloor }]),
  ]
  const last = 'from page order by time desc, identity desc limit 1'
  const sql = `with page as materialized (select record, time, identity from traffic_records
      where structure_id = ? and (time, identity) > (?, ?) and time <= ?
        ${filters.map((filter) => `and ${filter.sql}`).join(' ')}
      order by time, identity limit ?)
    select ${dialect.joined('record')}, count(*), (select time ${last}), (select identity ${last})
      from page`
  return { sql, parameters: filters.map(({ value }) => value) }
}
