import { isConflict } from '../../../errors/conflict-error.ts'
import type { Reader } from '../connection/reader.ts'
import { daysOf } from '../records/record-days.ts'
import { unsealPart } from './unseal-part.ts'
import { findPart, loadPart } from './sealed-parts.ts'
import { SealingProcess } from './sealing-process.ts'
import type { Writer } from '../connection/writer.ts'
import type { Tuple } from '../../sql/engine.ts'
import type { OpenDay, SealedDayStore } from '../../stores/sealed-days.ts'

/** After this many conflicts a day stays open until the next run: records keep arriving for it. */
const ATTEMPTS = 5
/** Free pages go back to the disk a few at a time, between other writes. */
const VACUUM_PAGES = 256

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
        .rows<Tuple<'theme_open_days', ['source', 'day', 'count']>>(sql, day)
        .map(([source, day, count]) => ({ source, day, count }) satisfies OpenDay)
    },

    async seal({ zone, ...span }) {
      const done = { records: 0, bytes: 0, isComplete: true }
      let { start } = span
      let attempt = 1
      while (start < span.until) {
        const prepared = await sealing.prepare({ ...span, start, zoneName: zone.name })
        try {
          if (prepared.statements.length > 0) await writer.write(prepared.statements)
        } catch (error) {
          if (!isConflict(error, 'rows')) throw error
          if (++attempt > ATTEMPTS) return { ...done, isComplete: false }
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
          const part = findPart(reader, kind, source, from)
          if (part === undefined || part.start >= until) return undefined
          return { id: part.id, part: loadPart(reader, kind, part.id) }
        })
        if (found === undefined) break
        try {
          await writer.write(unsealPart(kind, source, found.id, found.part))
        } catch (error) {
          // The part was sealed again meanwhile.
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
          const [id, source] =
            reader.row<Tuple<'theme_sealed_parts', ['id', 'source']>>(sql, after) ?? []
          if (id === undefined || source === undefined) return undefined
          return { id, source, part: loadPart(reader, kind, id) }
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
        { sql: `pragma incremental_vacuum(${VACUUM_PAGES})`, width: 0, values: [] },
      ])
      return { isDone: freePages(reader) >= before || freePages(reader) === 0 }
    },

    [Symbol.asyncDispose]: () => sealing[Symbol.asyncDispose](),
  }
}

const freePages = (reader: Reader): number =>
  reader.row<[number]>('pragma freelist_count')?.[0] ?? 0
