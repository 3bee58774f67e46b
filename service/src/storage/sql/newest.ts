import type { RecordKind } from '../storage.ts'

/** The instant of a source's newest record, open or sealed; takes the source twice. */
export const newestSql = (kind: RecordKind): string =>
  `select max(newest) from (
    select max(time) as newest from ${kind}_records where source = ?
    union all
    select * from (select last from ${kind}_sealed where source = ? order by start desc limit 1))`
