import { isConflict } from '../../../errors/conflict-error.ts'
import type { SqlReader } from '../engine.ts'
import { daysOf } from '../records/record-days.ts'
import { unsealPart } from './unseal-part.ts'
import { findPart, loadPart } from './sealed-parts.ts'
import type { SealedEnds } from './sealed-ends.ts'
import type { SealPreparation, SealRequest } from './seal-preparation.ts'
import type { SqlWriter } from '../engine.ts'
import type { Tuple } from '../engine.ts'
import type { OpenDay, SealedDayStore } from '../../stores/sealed-days.ts'

/** After this many conflicts a day stays open until the next run: records keep arriving for it. */
const ATTEMPTS = 5
type SealedDayOptions = {
  engine: SqlReader & SqlWriter
  /** Prepares a write that seals some records, apart from the service. */
  prepare(request: SealRequest): Promise<SealPreparation>
  reclaimSpace: SealedDayStore['reclaimSpace']
  sealedEnds: Pick<SealedEnds, 'forget'>
}

export function sealedDayStore({
  engine,
  prepare,
  reclaimSpace,
  sealedEnds,
}: SealedDayOptions): SealedDayStore {
  return {
    async listOpenDays(kind, before) {
      const sql = `select source, day, count from ${kind}_open_days
        where day <= ? order by day, source`
      const [day] = daysOf(before, before)
      type Day = Tuple<'theme_open_days', ['source', 'day', 'count']>
      const days = await engine.rows<Day>(sql, day)
      return days.map(([source, day, count]) => ({ source, day, count }) satisfies OpenDay)
    },

    async seal({ zone, ...span }) {
      const done = { records: 0, bytes: 0, isComplete: true }
      let { start } = span
      let attempt = 1
      while (start < span.until) {
        const prepared = await prepare({ ...span, start, zoneName: zone.name })
        try {
          if (prepared.statements.length > 0) await engine.write(prepared.statements)
          sealedEnds.forget()
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
        const found = await engine.snapshot(async (reader) => {
          const part = await findPart(reader, kind, source, from)
          if (part === undefined || part.start >= until) return undefined
          return { id: part.id, part: await loadPart(reader, kind, source, part.id) }
        })
        if (found === undefined) break
        try {
          await engine.write(unsealPart(engine.dialect, kind, source, found))
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
      const [count = 0] =
        (await engine.row<[number]>(`select count(*) from ${kind}_sealed_parts`)) ?? []
      return count
    },

    async *listParts(kind) {
      let after = 0
      const sql = `select id, source from ${kind}_sealed_parts where id > ? order by id limit 1`
      while (true) {
        const found = await engine.snapshot(async (reader) => {
          const [id, source] =
            (await reader.row<Tuple<'theme_sealed_parts', ['id', 'source']>>(sql, after)) ?? []
          if (id === undefined || source === undefined) return undefined
          return { id, source, part: await loadPart(reader, kind, source, id) }
        })
        if (found === undefined) return
        yield { source: found.source, part: found.part }
        after = found.id
      }
    },

    reclaimSpace,
  }
}
