import type { Reader } from './connection/reader.ts'
import type { Writer } from './connection/writer.ts'

/** Free pages go back to the disk a few at a time, between other writes. */
const VACUUM_PAGES = 256

/** Returns some free pages to the disk; `isDone` when none is left. */
export async function reclaimSpace(reader: Reader, writer: Writer): Promise<{ isDone: boolean }> {
  const before = freePages(reader)
  if (before === 0) return { isDone: true }
  await writer.write([{ sql: `pragma incremental_vacuum(${VACUUM_PAGES})`, width: 0, values: [] }])
  return { isDone: freePages(reader) >= before || freePages(reader) === 0 }
}

const freePages = (reader: Reader): number =>
  reader.row<[number]>('pragma freelist_count')?.[0] ?? 0
