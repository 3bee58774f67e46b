import type { Dialect } from '../sql/dialect.ts'

const isAmong: Dialect['isAmong'] = (column, values) => ({
  sql: `${column} = any(?::bigint[])`,
  values: [values],
})

export const dialect: Dialect = {
  isRemote: true,
  isSpread: false,
  joined: (column) => `string_agg(${column}, ',')`,
  recordsInOrder: (kind, column, condition) =>
    `(select ${column} from ${kind}_records where ${condition} order by time) as ordered`,
  joinedNumbers: (column) => `string_agg(${column}::text, ',')`,
  jsonText: (column, member) => `(${column}::json ->> '${member}')`,
  contains: (column) => `strpos(${column}, ?) > 0`,
  isOneOf: isAmong,
  isAmong,
  givenSources: (sources) => ({
    sql: 'unnest(?::bigint[]) with ordinality as given(source, at)',
    values: [sources],
  }),
  matchesNumbers: (column) => `${column} like replace(?, '*', '%')`,
  contentContains: (template, numbers) => `strpos(join_content(${template}, ${numbers}), ?) > 0`,
  along: (table) => table,
  newAlarms: {
    id: `(nullif(current_setting('plumbline.last_alarm', true), '')::bigint - ?)`,
    // Otherwise each write that is rejected, and computed again, would leave a gap in the ids.
    reserve: (count) => ({
      sql: 'select reserve_alarms(?)',
      width: 1,
      values: [count],
      isLasting: true,
    }),
  },
  lastId: (table) => `currval(pg_get_serial_sequence('${table}', 'id'))`,
  sealedBytes: () => 'deflated',
  insertSealedBytes: undefined,
  isCorrected: (kind, part) =>
    `exists (select 1 from ${kind}_records as open where open.source = ?
      and open.time >= ${part}.start and open.time < ${part}.until)`,
}
