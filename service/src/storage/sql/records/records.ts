import { DamageError } from '../../../errors/damage-error.ts'
import { readMarks } from './marks.ts'
import { findForEach } from './find-for-each.ts'
import { findStored, lastQuery } from './stored-places.ts'
import { readRawRevisions } from './raw-revisions.ts'
import { readLists } from './read-lists.ts'
import type { OpenDays } from '../open-days/open-days.ts'
import { readAscending, readDeflated } from './read-ascending.ts'
import { readNewest } from './read-newest.ts'
import type { SqlReader } from '../engine.ts'
import { PartLookUps } from '../sealed-days/part-look-ups.ts'
import { writeRecords, type RecordWriter } from './write-records.ts'
import { newestQuery } from '../newest.ts'
import { findUsualIntervals } from './usual-intervals.ts'
import { HourReader } from './read-hours.ts'
import type { RecordQuery, RecordStore } from '../../stores/records.ts'

export function recordStore(
  reader: SqlReader,
  records: RecordWriter,
  openDays: OpenDays,
): RecordStore {
  const shared = { openDays, parts: new PartLookUps(reader) }
  const read = (query: RecordQuery) =>
    query.newest === undefined
      ? readAscending(reader, query, shared)
      : readNewest(reader, query, query.newest)
  /** What a write is computed from: where it cannot be read, nothing can be stored either. */
  const forWrite = async <Result>(find: () => Promise<Result>): Promise<Result> => {
    try {
      return await find()
    } catch (error) {
      if (error instanceof DamageError) records.writer.noteFailure(error)
      throw error
    }
  }
  const hours = new HourReader(reader, records.writer, read)

  return {
    write: (batch, options = {}) => writeRecords(records, batch, options),

    read,
    readDeflated: (query) =>
      query.newest === undefined ? readDeflated(reader, query, shared) : read(query),
    measureKept: () => openDays.measure(),
    readHours: (query) => hours.read(query),
    async *readLists(span) {
      yield* readLists(reader, span)
    },
    async *readMarks(span) {
      yield* readMarks(reader, span)
    },
    async findStored(kind, places) {
      return forWrite(() => findStored(reader, kind, places))
    },
    async findLast(kind, sources) {
      return forWrite(() => findForEach(reader, sources, (source) => lastQuery(kind, source)))
    },
    async readRawRevisions(spans) {
      return readRawRevisions(reader, spans)
    },

    inspect: (kind) => reader.recordChecks.inspect(kind),

    async findNewest(kind, sources, horizon) {
      return findForEach(reader, sources, (source) => newestQuery(kind, source, horizon))
    },
    async findUsualIntervals(kind, sources, horizon) {
      return findUsualIntervals(reader, kind, sources, horizon)
    },
  }
}
