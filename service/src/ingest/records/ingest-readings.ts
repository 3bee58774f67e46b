import type { IngestReport } from '@plumbline/contract'
import type { Reading } from '../../storage/storage.ts'
import { arriveAt, openToPast, type Door } from './door.ts'
import { ingestTheme } from './ingest-theme.ts'

/** What somebody measured by hand; the note may be left out. */
export type ReadingInput = { time: unknown; values: unknown; note?: string | undefined }

/** Stores readings as records of their station, and in the same commit who measured them. */
export function ingestReadings(
  door: Door,
  { station, author, userId }: Pick<Reading, 'station' | 'author' | 'userId'>,
  inputs: readonly ReadingInput[],
): Promise<IngestReport> {
  const enteredAt = arriveAt(door)
  const records = inputs.map(({ time, values }) => ({ station, time, values }))
  return ingestTheme(openToPast(door), records, {
    readingOf: (index, { time, record }) => {
      const note = inputs[index]?.note ?? ''
      return { station, time, author, userId, note, record, enteredAt }
    },
  })
}
