import { RefusedError } from '../../errors/refused-error.ts'
import { InstantCursor } from '../../domain/records/instant-cursor.ts'
import { rewriteMarks } from '../../domain/quality/rewrite-marks.ts'
import { rewriteRecord } from '../../domain/records/rewrite-record.ts'
import { readPlaces, type TimedPlace } from '../../storage/read-places.ts'
import type { MarkRows, PlaceRows, RecordRows, Storage } from '../../storage/storage.ts'
import { EVER } from './count-members.ts'
import type { RecordRewrite } from './record-rewrites.ts'

export type RewritingOptions = {
  /** The change that keeps the records as they were. */
  change: number
  signal?: AbortSignal | undefined
  /** Receives how many records are read so far. */
  onProgress?(records: number): void
}

/**
 * Stores the records of some sources with other keys or values, as a change, a page at a time.
 *
 * Records that the change has rewritten already are left as they are: after an interruption the same
 * change continues. Nothing else may write meanwhile.
 */
export async function rewriteRecords(
  { records, changes }: Pick<Storage, 'records' | 'changes'>,
  rewrites: readonly RecordRewrite[],
  { change, signal, onProgress }: RewritingOptions,
): Promise<void> {
  let read = 0
  for (const rewrite of rewrites) {
    const { kind, source } = rewrite
    const done = new InstantCursor(changes.readReplacedTimes(change, kind, source))
    for await (const places of readPlaces(records, { kind, source, ...EVER })) {
      if (signal?.aborted === true) throw stopped(change)
      const { rows, marks, expected } = await rewritePlaces(places, rewrite, done)
      if (expected.times.length > 0)
        await records.write(
          { [kind]: rows },
          { change, marks: { [kind]: marks }, expected: { [kind]: expected } },
        )
      onProgress?.((read += places.length))
    }
  }
}

/** The records and marks that are written, with what is stored at their places. */
type RewrittenPlaces = { rows: RecordRows; marks: MarkRows; expected: PlaceRows }

async function rewritePlaces(
  places: readonly TimedPlace[],
  { source, members }: RecordRewrite,
  done: InstantCursor,
): Promise<RewrittenPlaces> {
  const rows: RecordRows = { sources: [], times: [], records: [] }
  const marked: MarkRows = { sources: [], times: [], marks: [] }
  const expected: PlaceRows = { sources: [], times: [], stored: [] }
  for (const { time, record, marks } of places) {
    if (done.isBehind(time)) await done.reach(time)
    if (done.has(time)) continue
    const newRecord = record === null ? null : rewriteRecord(record, members)
    const newMarks = marks === null ? null : rewriteMarks(marks, members)
    if (newRecord === record && newMarks === marks) continue
    expected.sources.push(source)
    expected.times.push(time)
    expected.stored.push({ record, marks })
    if (newRecord !== null && newRecord !== record) {
      rows.sources.push(source)
      rows.times.push(time)
      rows.records.push(newRecord)
    }
    if (newMarks === marks) continue
    marked.sources.push(source)
    marked.times.push(time)
    marked.marks.push(newMarks)
  }
  return { rows, marks: marked, expected }
}

const stopped = (change: number): RefusedError =>
  new RefusedError(
    'unavailable',
    `Stopped: some records are rewritten, and the site is unchanged. Run the same command again to continue, or "plumbline undo ${change}" to restore the records.`,
  )
