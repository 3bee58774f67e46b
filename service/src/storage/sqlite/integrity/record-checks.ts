import { crcOf } from '../../../encodings/record-checksum.ts'
import type { RecordChecks } from '../../sql/record-checks.ts'
import type { RecordQuery } from '../../stores/records.ts'
import type { Reader } from '../connection/reader.ts'
import { checkDays } from './check-days.ts'
import { checkOpen } from './check-open.ts'
import { inspectOpen } from './inspect-open.ts'

/** Compares open records with the checksums that are kept of them. */
export const recordChecks = (reader: Reader): RecordChecks => ({
  open: (span, text, times) => checkOpen(reader, span, text, times),
  days: (span, days) => checkDays(reader, span, days),
  newestOpen: (query) => findNewestOpen(reader, query),
  inspect: (kind) => inspectOpen(reader, kind),
})

/** The newest record, where it is open and has the CRC-32 that its last checksum names. */
function findNewestOpen(
  reader: Reader,
  { kind, source, from, to }: RecordQuery,
): Buffer | undefined {
  const sql = `select cast(open.record as blob), tail.newest from ${kind}_last_checksums as tail
    join ${kind}_records as open on open.source = tail.source and open.time = tail.last
    where tail.source = ? and tail.last between ? and ?
      and tail.last >= coalesce((select max(until) from ${kind}_sealed_parts where source = ?), tail.last)
      and not exists (select 1 from ${kind}_records as later
        where later.source = tail.source and later.time > tail.last and later.time <= ?)`
  const [record, newest] = reader.row<[Buffer, number]>(sql, source, from, to, source, to) ?? []
  return record !== undefined && crcOf(source, record) === newest ? record : undefined
}
