import { inspectOpen } from '../integrity/inspect-open.ts'
import { readRawRevisions } from './raw-revisions.ts'
import { readLists } from './read-lists.ts'
import { readAscending, readNewest } from './read-records.ts'
import type { Reader } from '../connection/reader.ts'
import { writeRecords, type RecordWriter } from './write-records.ts'
import { newestSql, newestValues } from '../../sql/newest.ts'
import { HourReader } from './read-hours.ts'
import type { RecordStore, RecordQuery } from '../../storage.ts'

export function recordStore(reader: Reader, records: RecordWriter): RecordStore {
  const read = (query: RecordQuery, mayBeDeflated: boolean) =>
    query.newest === undefined
      ? readAscending(reader, { ...query, mayBeDeflated })
      : readNewest(reader, { ...query, mayBeDeflated }, query.newest)
  const readPlain = (query: RecordQuery) => read(query, false) as AsyncGenerator<Uint8Array>
  const hours = new HourReader(reader, records.writer, readPlain)

  return {
    write: (batch, options = {}) => writeRecords(records, batch, options),

    read: readPlain,
    readDeflated: (query) => read(query, true),
    readHours: (query) => hours.read(query),
    async *readLists(span) {
      yield* readLists(reader, span)
    },
    async readRawRevisions(spans) {
      return readRawRevisions(reader, spans)
    },

    inspect: (kind) => inspectOpen(reader, kind),

    async findNewest(kind, sources, horizon) {
      const sql = newestSql(kind)
      return sources.map((source) => {
        return reader.row<[number | null]>(sql, ...newestValues(source, horizon))?.[0] ?? null
      })
    },
  }
}
