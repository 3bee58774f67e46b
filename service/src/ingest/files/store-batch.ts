import type { RejectOrigin } from '../../domain/rejects/reject-origin.ts'
import type { IngestReport, Replacement } from '@plumbline/contract'
import type { PositionStore } from '../../storage/storage.ts'
import type { RecordOptions } from '../records/record-options.ts'
import { rejectedRow } from '../records/report.ts'
import type { FileIngest, RecordIngest } from '../record-ingest.ts'
import type { Line } from '../../encodings/csv/line.ts'
import type { Mapping, Target } from '../formats/mapping.ts'
import type { RejectedRow, RowBatch, StoreReport } from '../formats/records.ts'
import type { RejectWriter } from '../rejects/reject-writer.ts'
import { formatContext } from './line-context.ts'

/** Stores the records of a batch of rows. */
export async function storeRecords(
  ingest: Pick<FileIngest, 'raw' | 'theme'>,
  batch: RowBatch,
  { change, position, replace }: RecordOptions,
): Promise<StoreReport> {
  const stored: StoreReport = { accepted: 0, replaced: 0, rejected: [] }
  const hasTheme = batch.theme.length > 0
  if (batch.raw.length > 0) {
    // The position is stored with the records that are written last.
    const options = { change, replace, ...(hasTheme ? {} : { position }) }
    const report = await ingest.raw(batch.raw, options)
    addReport(stored, report, batch.rawLines, (index) => rejectedRow(batch.raw, index).sensor)
  }
  if (hasTheme) {
    const report = await ingest.theme(batch.theme, { change, position, replace })
    addReport(stored, report, batch.themeLines, (index) => rejectedRow(batch.theme, index).station)
  }
  return stored
}

function addReport(
  stored: StoreReport,
  { accepted, replaced, rejected }: IngestReport,
  lines: readonly Line[],
  targetOf: (index: number) => Target['id'],
): void {
  stored.accepted += accepted
  stored.replaced += replaced
  for (const { index, message: reason } of rejected)
    stored.rejected.push({ line: rejectedRow(lines, index), targets: [targetOf(index)], reason })
}

type RejectOptions = {
  rejects: Pick<RejectWriter, 'add'>
  origin: RejectOrigin
  /** Whether these are live records; they are live in a replay too. */
  isLive: boolean
  now(): number
  mapping: Mapping
  /** The path of the mapping. */
  mappingFile: string
  /** What the command says in place of the mapping. */
  replace?: Replacement | undefined
}

/** Stores rejected lines, each once, with all reasons and the context that a replay needs. */
export async function keepRejected(
  rejected: readonly RejectedRow[],
  { headers, secondPass }: Pick<RowBatch, 'headers' | 'secondPass'>,
  { rejects, origin, isLive, now, mapping, mappingFile, replace }: RejectOptions,
): Promise<void> {
  if (rejected.length === 0) return
  const receivedAt = now()
  const byLine = Map.groupBy(rejected, ({ line }) => line)
  await rejects.add(
    Array.from(byLine, ([line, rows]) => ({
      ...origin,
      place: `line ${line.number}`,
      reason: rows.map(({ reason }) => reason).join('; '),
      payload: Buffer.from(line.text),
      receivedAt,
      context: formatContext({
        mapping: mappingFile,
        header: headers.findLast(({ from }) => from <= line.number)?.text,
        stored: storedTargets(rows, mapping),
        isCut: line.isTooLong,
        isLive,
        replace,
        ...(secondPass.has(line.number) ? { isSecondPass: true } : {}),
      }),
    })),
  )
}

/** The targets without a rejected value in a line. */
function storedTargets(rejected: readonly RejectedRow[], { targets }: Mapping): Target['id'][] {
  const ids = targets.map(({ id }) => id)
  const left = new Set(rejected.flatMap((row) => row.targets ?? ids))
  return ids.filter((id) => !left.has(id))
}

type PositionOptions = RejectOptions & {
  positions: PositionStore
  name: string
  text: string
}

/**
 * Stores a batch of a watched file: records and position in one transaction.
 *
 * Rejected lines are stored before, since afterwards they are not read again; a crash in between
 * stores them twice.
 */
export async function storeWithPosition(
  ingest: Pick<RecordIngest, 'raw' | 'theme' | 'dryRun'>,
  batch: RowBatch,
  { positions, name, text, ...keeping }: PositionOptions,
): Promise<StoreReport> {
  const { replace } = keeping.mapping
  const foreseen = await storeRecords(ingest.dryRun(), batch, { replace })
  const rejected = [...batch.rejected, ...foreseen.rejected]
  await keepRejected(rejected, batch, keeping)
  const stored = await storeRecords(ingest, batch, {
    position: { name, text },
    replace,
  })
  if (stored.accepted === 0) await positions.set(name, text)
  const known = new Set(foreseen.rejected.map(({ line }) => line))
  const late = stored.rejected.filter(({ line }) => !known.has(line))
  await keepRejected(late, batch, keeping)
  return { ...stored, rejected: [...rejected, ...late] }
}
