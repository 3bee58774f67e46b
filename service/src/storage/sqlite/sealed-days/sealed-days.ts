import { isConflict } from '../../../errors/conflict-error.ts'
import type { Reader } from '../connection/reader.ts'
import { dayCounts, daysOf } from '../records/record-days.ts'
import { atPlace, findPart, loadPart } from './sealed-parts.ts'
import { SealingProcess } from './sealing-process.ts'
import type { Writer } from '../connection/writer.ts'
import { openPart, type SealedPart } from '../../sealed-days/sealed-part.ts'
import { type Statement } from '../../sql/engine.ts'
import type { OpenDay, RecordKind, SealedDayStore } from '../../storage.ts'

/** A day into which records keep coming is left for the next time. */
const ATTEMPTS = 5
/** Free pages are given back in small steps, between the writes of others. */
const TIDY_PAGES = 256

export function sealedDayStore(
  file: string,
  reader: Reader,
  writer: Writer,
): SealedDayStore & AsyncDisposable {
  const sealing = new SealingProcess(file)

  return {
    async listOpenDays(kind, before) {
      const sql = `select source, day, count from ${kind}_open_days
        where day <= ? order by day, source`
      const [day] = daysOf(before, before)
      return reader
        .rows<[source: number, day: number, count: number]>(sql, day)
        .map(([source, day, count]) => ({ source, day, count }) satisfies OpenDay)
    },

    async seal({ zone, ...span }) {
      const done = { records: 0, bytes: 0, isWhole: true }
      let { start } = span
      let attempt = 1
      while (start < span.until) {
        const prepared = await sealing.prepare({ ...span, start, zoneName: zone.name })
        try {
          if (prepared.statements.length > 0) await writer.write(prepared.statements)
        } catch (error) {
          if (!isConflict(error, 'rows')) throw error
          if (++attempt > ATTEMPTS) return { ...done, isWhole: false }
          continue
        }
        done.records += prepared.records
        done.bytes += prepared.bytes
        start = prepared.next
        attempt = 1
      }
      return done
    },

    async unseal({ kind, source, start, until }) {
      let records = 0
      let position = start
      while (position < until) {
        const from = position
        const found = reader.snapshot(() => {
          const passing = findPart(reader, kind, source, from)
          if (passing === undefined || passing.start >= until) return undefined
          return { id: passing.id, part: loadPart(reader, kind, passing.id) }
        })
        if (found === undefined) break
        try {
          await writer.write(reopening(kind, source, found.id, found.part))
        } catch (error) {
          // It was sealed anew a moment ago.
          if (isConflict(error, 'rows')) continue
          throw error
        }
        records += found.part.count
        position = found.part.until
      }
      return { records }
    },

    async countParts(kind) {
      return reader.row<[number]>(`select count(*) from ${kind}_sealed_parts`)?.[0] ?? 0
    },

    async *listParts(kind) {
      let after = 0
      const sql = `select id, source from ${kind}_sealed_parts where id > ? order by id limit 1`
      while (true) {
        const found = reader.snapshot(() => {
          const [id, source] = reader.row<[number, number]>(sql, after) ?? []
          if (id === undefined) return undefined
          return { id, source: source!, part: loadPart(reader, kind, id) }
        })
        if (found === undefined) return
        yield { source: found.source, part: found.part }
        after = found.id
      }
    },

    async reclaimSpace() {
      const before = freePages(reader)
      if (before === 0) return { isDone: true }
      await writer.write([
        { sql: `pragma incremental_vacuum(${TIDY_PAGES})`, width: 0, values: [] },
      ])
      return { isDone: freePages(reader) >= before || freePages(reader) === 0 }
    },

    [Symbol.asyncDispose]: () => sealing[Symbol.asyncDispose](),
  }
}

const freePages = (reader: Reader): number =>
  reader.row<[number]>('pragma freelist_count')?.[0] ?? 0

/** Records of a part as rows again; what came later stays as it is. */
export function reopening(
  kind: RecordKind,
  source: number,
  id: number,
  part: SealedPart,
): Statement[] {
  const { times, texts } = atPlace({ kind, source }, part, () => openPart(part))
  const rows = {
    sources: texts.map(() => source),
    times: Array.from(times),
    records: texts.map((text) => Buffer.from(text).toString()),
  }
  return [
    { sql: `delete from ${kind}_sealed_parts where id = ?`, width: 1, values: [id], expected: 1 },
    {
      sql: `insert into ${kind}_records (source, time, record) values (?, ?, ?)
        on conflict (source, time) do nothing`,
      width: 3,
      values: rows.times.flatMap((time, at) => [source, time, rows.records[at]]),
      checked: { kind, as: 'records' },
    },
    dayCounts(kind, rows),
  ]
}
