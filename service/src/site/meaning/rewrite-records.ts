import { RefusedError } from '../../errors/refused-error.ts'
import { InstantCursor } from '../../domain/records/instant-cursor.ts'
import { eachOf, type RecordList } from '../../domain/records/record-list.ts'
import { rewriteRecord } from '../../domain/records/rewrite-record.ts'
import type { RecordRows, Storage } from '../../storage/storage.ts'
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
    for await (const list of records.readLists({ kind, source, ...EVER })) {
      if (signal?.aborted === true) throw stopped(change)
      const rows = await rewriteList(list, rewrite, done)
      if (rows.times.length > 0) await records.write({ [kind]: rows }, { change })
      onProgress?.((read += list.texts.length))
    }
  }
}

async function rewriteList(
  list: RecordList,
  { source, members }: RecordRewrite,
  done: InstantCursor,
): Promise<RecordRows> {
  const rows: RecordRows = { sources: [], times: [], records: [] }
  for (const [time, text] of eachOf(list)) {
    if (done.isBehind(time)) await done.reach(time)
    if (done.has(time)) continue
    const record = Buffer.from(text).toString()
    const rewritten = rewriteRecord(record, members)
    if (rewritten === record) continue
    rows.sources.push(source)
    rows.times.push(time)
    rows.records.push(rewritten)
  }
  return rows
}

const stopped = (change: number): RefusedError =>
  new RefusedError(
    'unavailable',
    `Stopped: some records are rewritten, and the site is unchanged. Run the same command again to continue, or "plumbline undo ${change}" to restore the records.`,
  )
