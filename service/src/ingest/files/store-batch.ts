import type { RejectOrigin } from '../../domain/rejects/reject-origin.ts'
import type { IngestReport } from '@plumbline/contract'
import type { PositionStore } from '../../storage/storage.ts'
import type { RecordOptions } from '../ingest-parts.ts'
import type { FileIngest, RecordIngest } from '../record-ingest.ts'
import type { Mapping } from '../formats/mapping.ts'
import type { RejectedRow, RowBatch } from '../formats/records.ts'
import type { Rejects } from '../rejects/rejects.ts'
import { formatContext } from './line-context.ts'

export type Stored = { accepted: number; replaced: number; refused: RejectedRow[] }

/** Stores the records of some rows. */
export async function storeRecords(
  ingest: Pick<FileIngest, 'raw' | 'theme'>,
  batch: RowBatch,
  { change, position }: RecordOptions,
): Promise<Stored> {
  const stored: Stored = { accepted: 0, replaced: 0, refused: [] }
  const hasTheme = batch.theme.length > 0
  if (batch.raw.length > 0) {
    // The position goes with the records that are written last.
    const options = hasTheme ? { change } : { change, position }
    gather(stored, await ingest.raw(batch.raw, options), (index) => ({
      line: batch.rawLines[index]!,
      targets: [batch.raw[index]!.sensor],
    }))
  }
  if (hasTheme)
    gather(stored, await ingest.theme(batch.theme, { change, position }), (index) => ({
      line: batch.themeLines[index]!,
      targets: [batch.theme[index]!.station],
    }))
  return stored
}

function gather(
  stored: Stored,
  { accepted, replaced, rejected }: IngestReport,
  rowOf: (index: number) => Omit<RejectedRow, 'reason'>,
): void {
  stored.accepted += accepted
  stored.replaced += replaced
  for (const { index, message } of rejected)
    stored.refused.push({ ...rowOf(index), reason: message })
}

export type RejectsOf = {
  rejects: Pick<Rejects, 'add'>
  origin: RejectOrigin
  /** Whether these are live records; they are live in a replay too. */
  isLive: boolean
  now(): number
}

/** The mapping that lines were read by, and its file. */
export type MappedBy = { mapping: Mapping; mappingFile: string }

/** Keeps refused lines, each once, with all that is wrong with it and what a replay needs. */
export async function keepRejected(
  refused: readonly RejectedRow[],
  { headers }: Pick<RowBatch, 'headers'>,
  { rejects, origin, isLive, now, mapping, mappingFile }: RejectsOf & MappedBy,
): Promise<void> {
  if (refused.length === 0) return
  const receivedAt = now()
  const byLine = Map.groupBy(refused, ({ line }) => line)
  await rejects.add(
    Array.from(byLine, ([line, of]) => ({
      ...origin,
      place: `line ${line.number}`,
      reason: of.map(({ reason }) => reason).join('; '),
      payload: Buffer.from(line.text),
      receivedAt,
      context: formatContext({
        mapping: mappingFile,
        header: headers.findLast(({ from }) => from <= line.number)?.text,
        stored: storedOf(of, mapping),
        isCut: line.isTooLong,
        isLive,
      }),
    })),
  )
}

/** The targets of which nothing in a line was refused. */
function storedOf(refused: readonly RejectedRow[], { targets }: Mapping) {
  const left = new Set(refused.flatMap((row) => row.targets ?? targets.map(({ id }) => id)))
  return targets.map(({ id }) => id).filter((id) => !left.has(id))
}

export type Positioned = {
  positions: PositionStore
  name: string
  text: string
} & RejectsOf &
  MappedBy

/**
 * Stores a batch of a file that is read on later: records and position in one transaction.
 *
 * Refused lines are kept before that, since afterwards they would not be read again; a crash in
 * between keeps them twice.
 */
export async function storeAndMark(
  ingest: Pick<RecordIngest, 'raw' | 'theme' | 'dryRun'>,
  batch: RowBatch,
  { positions, name, text, ...keeping }: Positioned,
): Promise<Stored> {
  const foreseen = await storeRecords(ingest.dryRun(), batch, {})
  const refused = [...batch.refused, ...foreseen.refused]
  await keepRejected(refused, batch, keeping)
  const stored = await storeRecords(ingest, batch, { position: { name, text } })
  if (stored.accepted === 0) await positions.set(name, text)
  const known = new Set(foreseen.refused.map(({ line }) => line))
  const late = stored.refused.filter(({ line }) => !known.has(line))
  await keepRejected(late, batch, keeping)
  return { ...stored, refused: [...refused, ...late] }
}
