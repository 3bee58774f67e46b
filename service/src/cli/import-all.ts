import { RefusedError } from '../errors/refused-error.ts'
import type { RecordIngest } from '../ingest/record-ingest.ts'
import type { AnyMapping } from '../ingest/formats/mapping.ts'
import type { ArchiveLimits } from '../ingest/files/archive-budget.ts'
import { fileMembers, type FileMember } from '../ingest/files/file-members.ts'
import { importFile, type ImportOptions } from '../ingest/files/import-file.ts'
import { DryRunSummary } from '../ingest/files/dry-run-summary.ts'
import { describeReport, emptyReport } from '../ingest/files/import-report.ts'
import { ImportedWaveforms } from '../ingest/files/imported-waveforms.ts'
import { importWaveforms } from '../ingest/files/import-waveforms.ts'
import { NAME_IS_NOT_UTF8 } from '../ingest/files/shown-name.ts'
import type { RecordStore } from '../storage/storage.ts'
import { Progress } from './progress.ts'
import { readText, type CommandContext } from './command.ts'

type ImportMemberOptions = Omit<ImportOptions, 'onProgress' | 'mapping' | 'summary'> & {
  /** The waveforms of this import. */
  imported: ImportedWaveforms
  mapping: AnyMapping
  /** The stored records, which a dry run compares. */
  stored: Pick<RecordStore, 'findStored'>
}
type ImportAllOptions = Omit<ImportMemberOptions, 'imported'> & { limits: ArchiveLimits }

/** Whether everything was stored, and whether the time of every row is known. */
export type ImportOutcome = { isWhole: boolean; isAmbiguous: boolean }

/** Imports all files. */
export async function importAll(
  { positionals, flags, signal, print }: CommandContext,
  ingest: RecordIngest,
  { limits, ...options }: ImportAllOptions,
): Promise<ImportOutcome> {
  const outcome: ImportOutcome = { isWhole: true, isAmbiguous: false }
  const imported = new ImportedWaveforms()
  for (const file of positionals) {
    const isStored = await importMembers(file)
    outcome.isWhole &&= isStored
    if (signal.aborted) break
  }
  return outcome

  async function importMembers(file: string): Promise<boolean> {
    let isStored = true
    let isArchive = false
    const { mapping } = options
    if ('waveforms' in mapping) imported.beginArchive(mapping.waveforms)
    try {
      const pattern = readText(flags, 'members')
      const sheet = sheetOf(mapping)
      for await (const member of fileMembers(file, { pattern, limits, sheet, signal })) {
        isArchive = member.name !== member.path
        const result = await importMember(ingest, member, { ...options, imported })
        if (result.lines.length > 0) print(`${member.name}: ${result.lines.join('\n')}`)
        if (result.problem !== undefined) print(`${member.name}: ${result.problem}`)
        isStored &&= result.isWhole
        outcome.isAmbiguous ||= result.isAmbiguous
        if (signal.aborted) return isStored
      }
    } catch (error) {
      if (error === signal.reason) return isStored
      print(`${file}: ${reasonOf(error)}`)
      return false
    }
    const absent =
      isArchive && 'waveforms' in mapping ? imported.describeAbsent(mapping.waveforms) : undefined
    if (absent !== undefined) print(`${file}: ${absent}`)
    return isStored && absent === undefined
  }
}

/** The result of one file; `problem` is why it could not be read to its end. */
type ImportResult = ImportOutcome & { lines: string[]; problem: string | undefined }

/** Imports a file or a member of an archive, and describes the result. */
async function importMember(
  ingest: RecordIngest,
  member: FileMember,
  { mapping, stored, imported, ...options }: ImportMemberOptions,
): Promise<ImportResult> {
  const report = emptyReport()
  const replace = options.replace ?? ('records' in mapping ? mapping.records.replace : 'keys')
  const summary = options.isDry
    ? new DryRunSummary(stored, await ingest.catalogue(), replace)
    : undefined
  let waveformLines: string[] = []
  const problem = await findProblem(async () => {
    using progress = new Progress('bytes')
    const onProgress = (bytes: number) => progress.show(bytes, member.bytes)
    if ('records' in mapping) {
      if (mapping.records.format === 'xlsx' && !member.isSheet) throw NO_WORKBOOK
      const rowOptions = { ...options, mapping: mapping.records, summary, onProgress }
      await importFile(ingest, member, rowOptions, report)
    } else {
      const waveformOptions = { ...options, mapping: mapping.waveforms, imported, onProgress }
      waveformLines = await importWaveforms(ingest, member, waveformOptions)
    }
  }, options.signal)
  const isWhole = problem === undefined && report.rejected.rows === 0
  const lines =
    'records' in mapping
      ? [...describeReport(report, options.isDry), ...(summary?.lines() ?? [])]
      : waveformLines
  return { lines, problem, isWhole, isAmbiguous: report.ambiguous.count > 0 }
}

const NO_WORKBOOK = new RefusedError(
  'invalid',
  'the file is no XLSX workbook, but its mapping says "format: xlsx"',
)

/** The sheet that is read of workbooks. */
const sheetOf = (mapping: AnyMapping): string | number | undefined =>
  'records' in mapping && mapping.records.format === 'xlsx' ? mapping.records.sheet : undefined

async function findProblem(
  work: () => Promise<void>,
  signal: AbortSignal,
): Promise<string | undefined> {
  try {
    await work()
    return undefined
  } catch (error) {
    return error === signal.reason ? undefined : reasonOf(error)
  }
}

/** The reason why a file could not be read; any other error ends the import. */
function reasonOf(error: unknown): string {
  if (error instanceof RefusedError && error.reason === 'invalid') return error.message
  if (!isFileError(error)) throw error
  if (error.code === 'ENOENT' && error.path?.includes('\u{fffd}') === true) return NAME_IS_NOT_UTF8
  return `the file cannot be read: ${error.code}.`
}

/** Whether opening or reading a file failed. */
const isFileError = (error: unknown): error is NodeJS.ErrnoException =>
  error instanceof Error &&
  'syscall' in error &&
  (error.syscall === 'open' || error.syscall === 'read')
