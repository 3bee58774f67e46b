import { readAscending, readNewest } from './read-records.ts'
import type { Reader } from './reader.ts'
import { dayCounts } from './record-days.ts'
import { Corrections } from './corrections.ts'
import type { Writer } from './writer.ts'
import { HourReader } from './read-hours.ts'
import type { DataStore, RecordKind, RecordQuery, RecordRows } from '../storage.ts'
import type { Statement } from '../sql/engine.ts'

export function dataStore(reader: Reader, writer: Writer): DataStore {
  const corrections = new Corrections(reader)
  const read = (query: RecordQuery, mayBeDeflated: boolean) =>
    query.newest === undefined
      ? readAscending(reader, { ...query, mayBeDeflated })
      : readNewest(reader, { ...query, mayBeDeflated }, query.newest)
  const readPlain = (query: RecordQuery) => read(query, false) as AsyncGenerator<Uint8Array>
  const hours = new HourReader(reader, writer, readPlain)

  return {
    write: (batch) =>
      corrections.around(batch, async ({ theme, raw }) => {
        const ofTheme = recordInserts('theme', theme)
        const ofRaw = recordInserts('raw', raw)
        const outcomes = await writer.write([...ofTheme, ...ofRaw])
        return {
          theme: { replaced: (ofTheme.length > 0 ? outcomes[0]?.otherwise : 0) ?? 0 },
          raw: { replaced: (ofRaw.length > 0 ? outcomes[ofTheme.length]?.otherwise : 0) ?? 0 },
        }
      }),

    read: readPlain,
    readDeflated: (query) => read(query, true),
    readHours: (query) => hours.read(query),
  }
}

/** Tries to insert first: nearly every record is new, and whoever is not was there before. */
export function recordInserts(kind: RecordKind, rows: RecordRows | undefined): Statement[] {
  if (rows === undefined || rows.times.length === 0) return []
  const insert = `insert into ${kind}_records (source, time, record) values (?, ?, ?)
    on conflict (source, time)`
  return [
    {
      sql: `${insert} do nothing`,
      otherwise: `${insert} do update set record = excluded.record`,
      width: 3,
      values: rows.times.flatMap((time, at) => [rows.sources[at], time, rows.records[at]]),
    },
    dayCounts(kind, rows),
  ]
}
