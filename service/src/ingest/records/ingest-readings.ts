import type { IngestReport } from '@plumbline/contract'
import type { ManualReading } from '../../storage/storage.ts'
import { ingestTheme, type ThemeParts } from './ingest-theme.ts'

/** A manual reading before it is checked; the note may be left out. */
export type EnteredReading = { time: unknown; values: unknown; note?: string | undefined }

/** The station of manual readings, and who measured. */
export type ReadingAuthor = Pick<ManualReading, 'station' | 'author' | 'userId'>

/** Stores manual readings as records of their station, together with their author. */
export function ingestReadings(
  parts: ThemeParts,
  { station, author, userId }: ReadingAuthor,
  readings: readonly EnteredReading[],
): Promise<IngestReport> {
  const { now: enteredAt } = parts.clock.arrive()
  const records = readings.map(({ time, values }) => ({ station, time, values }))
  return ingestTheme({ ...parts, clock: parts.clock.ofPast() }, records, {
    readingOf: (index, { time, record }) => {
      const note = readings[index]?.note ?? ''
      return { station, time, author, userId, note, record, enteredAt }
    },
  })
}
