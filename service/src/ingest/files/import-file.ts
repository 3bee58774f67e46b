import type { Replacement } from '@plumbline/contract'
import { fileOrigin } from '../../domain/rejects/reject-origin.ts'
import type { RecordIngest } from '../record-ingest.ts'
import type { Mapping } from '../formats/mapping.ts'
import { readRows, type PlacedBatch } from '../formats/read-rows.ts'
import { ReservedSpaceError } from '../formats/reserved-space-error.ts'
import type { RejectWriter } from '../rejects/reject-writer.ts'
import type { FileMember } from './file-members.ts'
import type { DryRunSummary } from './dry-run-summary.ts'
import { addAmbiguous, addDoubled, addRejected, type ImportReport } from './import-report.ts'
import { keepRejected, storeRecords } from './store-batch.ts'
import { unitsOf, zonesOf } from './site-of-targets.ts'

export type ImportOptions = {
  mapping: Mapping
  /** The path of the mapping, with which rejected rows are read again. */
  mappingFile: string
  /** What rows do to stored records of their time, in place of what the mapping says. */
  replace?: Replacement | undefined
  rejects: Pick<RejectWriter, 'add'>
  /** The change of the import, by which it can be undone. */
  change: number | undefined
  /** Whether nothing is stored, neither records nor rejects. */
  isDry: boolean
  /** Gathers what would be stored. */
  summary?: DryRunSummary | undefined
  signal: AbortSignal
  /** Reading ends before more NUL bytes in a row than this. */
  mostReservedBytes: number
  /** Called with the bytes that were read so far. */
  onProgress(bytes: number): void
}

/**
 * Stores the records of a file, and adds them to the report.
 *
 * While a batch is written the next one is read. When the signal is aborted, it throws the reason once
 * the batch under way is written.
 */
export async function importFile(
  ingest: RecordIngest,
  { name, path, open }: FileMember,
  options: ImportOptions,
  report: ImportReport,
): Promise<void> {
  const { mapping, mappingFile, rejects, change, isDry, signal, onProgress } = options
  const { mostReservedBytes, summary, replace } = options
  const target = isDry ? ingest.dryRun() : ingest
  const keeping = {
    rejects,
    origin: fileOrigin(path, name),
    isLive: false,
    now: () => ingest.clock.now(),
    mapping,
    mappingFile,
    replace,
  }
  const store = async (batch: PlacedBatch): Promise<void> => {
    const { accepted, replaced, rejected } = await storeRecords(target, batch, {
      change,
      replace: replace ?? mapping.replace,
    })
    const all = [...batch.rejected, ...rejected]
    if (!isDry) await keepRejected(all, batch, keeping)
    await summary?.add(batch, rejected)
    report.stored += accepted
    report.replaced += replaced
    addRejected(report, all)
    onProgress(batch.place.offset)
  }

  const catalogue = await ingest.catalogue()
  const batches = readRows(open, {
    mapping,
    zoneOf: zonesOf(catalogue),
    unitOf: unitsOf(catalogue),
    takesOpenLine: true,
    isWhole: true,
    mostReservedBytes,
    signal,
  })
  let storing: Promise<void> = Promise.resolve()
  try {
    for await (const batch of batches) {
      await storing
      signal.throwIfAborted()
      report.rows += batch.rows
      report.values += batch.values
      report.withoutValue += batch.withoutValue
      report.nulBytes += batch.nulBytes
      addDoubled(report, batch.doubled)
      report.skipped += batch.skipped
      addAmbiguous(report, batch.ambiguous)
      storing = store(batch)
      // It is awaited with the next batch; until then a failure must not count as unhandled.
      storing.catch(() => undefined)
      if (batch.isCutOff) throw new ReservedSpaceError(mostReservedBytes, batch.place.lines)
    }
  } finally {
    await storing
  }
}
