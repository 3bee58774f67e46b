import type { ReadingReport } from '@plumbline/contract'
import { completeRows, isChanged } from '../../commit/complete-rows.ts'
import type { NewRecord } from '../../commit/rows.ts'
import { marksText } from '../../domain/quality/qualified-values.ts'
import type { CatalogueStation } from '../../domain/site/catalogue.ts'
import { formatMoment } from '../../domain/time/offset-text.ts'
import { show } from '../../errors/show.ts'
import type { ManualReading } from '../../storage/storage.ts'
import type { IngestParts } from '../ingest-parts.ts'
import { readThemeRecord } from './ingest-theme.ts'
import { isRejection, sift } from './report.ts'

/** A manual reading before it is checked; note and quality may be left out. */
export type EnteredReading = {
  time: unknown
  values: unknown
  quality?: unknown
  note?: string | undefined
}

/** Who measured at a station, and the user who entered it. */
export type ReadingAuthor = Pick<ManualReading, 'author' | 'userId'> & { station: CatalogueStation }

type ReadingParts = Pick<IngestParts, 'catalogue' | 'clock' | 'commits' | 'early' | 'targets'> & {
  storage: Pick<IngestParts['storage'], 'changes' | 'manualReadings'>
}

/** A reading with its record. */
type EnteredRow = { row: NewRecord; reading: Omit<ManualReading, 'change'> }

/**
 * Stores manual readings as records of their station, together with their author, as a change. Readings
 * that were sent twice are stored once, under the change of the first time. Called one after the other.
 */
export async function ingestReadings(
  parts: ReadingParts,
  author: ReadingAuthor,
  readings: readonly EnteredReading[],
): Promise<ReadingReport> {
  const { clock, commits, early } = parts
  const catalogue = await parts.catalogue()
  const { now: enteredAt } = clock.arrive()
  const arrival = clock.ofPast().arrive()
  const context = { catalogue, arrival, targets: parts.targets, isPart: true }
  const { rows: entered, rejected } = await sift(readings, (_, index) => {
    const { note = '', ...given } = readings[index] ?? { time: undefined, values: undefined }
    const row = readThemeRecord({ ...given, station: author.station.entry.id }, context)
    return isRejection(row) ? row : { row, reading: toReading(row, author, { note, enteredAt }) }
  })
  if (entered.length === 0) return { accepted: 0, replaced: 0, rejected, change: null }

  const { fresh, change: earlier } = await withoutRepeated(parts, author.station, entered)
  const repeated = entered.length - fresh.length
  if (fresh.length === 0)
    return { accepted: repeated, replaced: repeated, rejected, change: earlier }
  const change = await beginReading(parts, author, fresh, enteredAt)
  const theme = fresh.map(({ row }) => row)
  const manualReadings = fresh.map(({ reading }) => ({ ...reading, change }))
  // The readings are stored in the same commit as their records; their alarms are those of live records.
  const written = await commits.records(catalogue, {
    theme,
    change,
    manualReadings,
    isNotified: true,
  })
  await parts.storage.changes.finish(change, enteredAt)
  await early?.note('theme', theme, ({ source }) => source, arrival.now)
  const replaced = written.theme.replaced + repeated
  return { accepted: entered.length, replaced, rejected, change }
}

function toReading(
  row: NewRecord,
  { author, userId, station }: ReadingAuthor,
  { note, enteredAt }: Pick<ManualReading, 'note' | 'enteredAt'>,
): EnteredRow['reading'] {
  const { source, time, record, values = [], marks } = row
  const quality = marksText({ values, marks }, station)
  return { station: source, time, author, userId, note, record, quality, enteredAt }
}

/**
 * Leaves out the readings that were stored before and still stand: with a change of their own, undoing it
 * would remove nothing. Also returns the newest change under which they were stored.
 */
async function withoutRepeated(
  { commits: { places }, storage: { manualReadings } }: ReadingParts,
  station: CatalogueStation,
  entered: readonly EnteredRow[],
): Promise<{ fresh: readonly EnteredRow[]; change: number | null }> {
  const given = entered.map(({ row }) => row)
  const stored = await places.look('theme', given)
  const { rows } = await completeRows(given, stored, () => station)
  const last = new Map(entered.map((one) => [one.row.time, one.reading]))
  const repeated = new Set<number>()
  let change: number | null = null
  for (const row of rows) {
    if (isChanged(row)) continue
    const known = await manualReadings.findLatest(station.entry.id, row.time)
    const reading = last.get(row.time)
    if (known === undefined || reading === undefined || known.undoneAt !== null) continue
    if (!isSameReading(known, reading)) continue
    repeated.add(row.time)
    if (known.change !== null) change = Math.max(change ?? known.change, known.change)
  }
  return { fresh: entered.filter(({ row }) => !repeated.has(row.time)), change }
}

const isSameReading = (one: EnteredRow['reading'], other: EnteredRow['reading']): boolean =>
  (['author', 'userId', 'note', 'record', 'quality'] as const).every(
    (member) => one[member] === other[member],
  )

/** Begins a change whose description names station, author and times. */
function beginReading(
  { storage: { changes } }: ReadingParts,
  { author, station: { entry, structure } }: ReadingAuthor,
  entered: readonly EnteredRow[],
  startedAt: number,
): Promise<number> {
  const times = entered.map(({ row }) => row.time)
  const [from = 0, ...more] = times.toSorted((a, b) => a - b)
  const to = more.at(-1)
  const first = formatMoment(from, structure.zone)
  const until = to === undefined || to === from ? '' : ` to ${formatMoment(to, structure.zone)}`
  const description = `station ${entry.id}: reading of ${first}${until} by ${show(author)}`
  return changes.begin({ kind: 'reading', description, startedAt })
}
