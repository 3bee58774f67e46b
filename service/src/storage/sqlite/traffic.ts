import { inSlices } from '../../domain/in-slices.ts'
import type { Reader } from './reader.ts'
import type { Writer } from './writer.ts'
import { removeVehicles, VEHICLE_COLUMNS as COLUMNS } from './vehicle-changes.ts'
import type { TrafficQuery, TrafficStore } from '../storage.ts'

const PAGE_RECORDS = 1_000

export function trafficStore(reader: Reader, writer: Writer): TrafficStore {
  return {
    async write(rows) {
      const insert = `insert into traffic_records (${COLUMNS}) values (?, ?, ?, ?, ?, ?, ?, ?)
        on conflict (structure_id, time, identity)`
      const values: unknown[] = []
      await inSlices(rows, (row) => {
        const { structure, time, identity, overload, license, load, record, details } = row
        values.push(structure, time, identity, overload ? 1 : 0, license, load, record, details)
      })
      const [outcome] = await writer.write([
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
      return reader.row<[number]>(sql, structure, from, to)?.[0] ?? 0
    },

    async removeSome({ structure, from, to, limit, change }) {
      const [, removed] = await writer.write(removeVehicles({ structure, from, to, limit, change }))
      return removed?.changed ?? 0
    },

    async *read(query) {
      const { sql, parameters } = pageSql(query)
      let after: [time: number, identity: string] = [query.from, '']
      while (true) {
        const page = reader.row<[Uint8Array | null, number, number, number, string]>(
          sql,
          query.structure,
          ...after,
          query.to,
          ...parameters,
          PAGE_RECORDS,
        )
        const [records, count, , time, identity] = page ?? [null, 0, 0, 0, '']
        if (records !== null) yield records
        if (count < PAGE_RECORDS) return
        after = [time, identity]
      }
    },
  }
}

/** Beside `max()` SQLite gives the columns of the row that has it: the last one of the page. */
function pageSql({ overload, license, loadFloor }: TrafficQuery) {
  const filters = [
    ...(overload === undefined ? [] : [{ sql: 'overload = ?', value: overload ? 1 : 0 }]),
    ...(license === undefined ? [] : [{ sql: 'instr(license, ?) > 0', value: license }]),
    ...(loadFloor === undefined ? [] : [{ sql: 'load >= ?', value: loadFloor }]),
  ]
  const sql = `select cast(group_concat(record) as blob), count(*), max(position), time, identity
    from (select record, time, identity, row_number() over (order by time, identity) as position
      from traffic_records
      where structure_id = ? and (time, identity) > (?, ?) and time <= ?
        ${filters.map((filter) => `and ${filter.sql}`).join(' ')}
      order by time, identity limit ?)`
  return { sql, parameters: filters.map(({ value }) => value) }
}
