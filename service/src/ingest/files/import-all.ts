import { RefusedError } from '../../errors/refused-error.ts'
import type { RecordStore } from '../../storage/storage.ts'
import type { AnyMapping } from '../formats/mapping.ts'
import type { RecordIngest } from '../record-ingest.ts'
import type { ArchiveLimits } from './archive-budget.ts'
import { DryRunSummary } from './dry-run-summary.ts'
import { fileMembers, type FileMember } from './file-members.ts'
import { importFile, type ImportOptions } from './import-file.ts'
import { describeReport, emptyReport } from './import-report.ts'
import { ImportedWaveforms } from './imported-waveforms.ts'
import { importWaveforms } from './import-waveforms.ts'
import { NAME_IS_NOT_UTF8 } from './shown-name.ts'

/** A file, and the name that people know it by, where that is another one. */
export type ImportedFile = { path: string; shownAs?: string }

/** What an import says while it runs. */
export type ImportProgress = {
  /** Prints lines about a file. */
  onLine(line: string): void
  onMember?(member: Pick<FileMember, 'name' | 'bytes'>): void
  /** The bytes of the member that were read. */
  onBytes?(bytes: number, of: number): void
  onMemberEnd?(): void
}

type ImportMemberOptions = Omit<ImportOptions, 'onProgress' | 'mapping' | 'summary'> & {
  /** The waveforms of this import. */
  imported: ImportedWaveforms
  mapping: AnyMapping
  /** The stored records, which a dry run compares. */
  stored: Pick<RecordStore, 'findStored'>
  progress: ImportProgress
}
export type ImportAllOptions = Omit<ImportMemberOptions, 'imported'> & {
  limits: ArchiveLimits
  /** Members of archives are read only if their name matches. */
  members: string | undefined
}

/** Whether everything was stored, and whether the time of every row is known. */
export type ImportOutcome = { isWhole: boolean; isAmbiguous: boolean }

/** Imports all files. */
export async function importAll(
  files: readonly ImportedFile[],
  ingest: RecordIngest,
  { limits, members, ...options }: ImportAllOptions,
): Promise<ImportOutcome> {
  const { signal, progress } = options
  const outcome: ImportOutcome = { isWhole: true, isAmbiguous: false }
  const imported = new ImportedWaveforms()
  for (const file of files) {
    const isStored = await importMembers(file)
    outcome.isWhole &&= isStored
    if (signal.aborted) break
  }
  return outcome

  async function importMembers({ path, shownAs = path }: ImportedFile): Promise<boolean> {
    let isStored = true
    let isArchive = false
    const { mapping } = options
    if ('waveforms' in mapping) imported.beginArchive(mapping.waveforms)
    try {
      const sheet = sheetOf(mapping)
      for await (const found of fileMembers(path, { pattern: members, limits, sheet, signal })) {
        isArchive = found.name !== found.path
        const member = { ...found, name: shownAs + found.name.slice(path.length), path: shownAs }
        progress.onMember?.(member)
        const result = await importMember(ingest, member, { ...options, imported })
        progress.onMemberEnd?.()
        if (result.lines.length > 0) progress.onLine(`${member.name}: ${result.lines.join('\n')}`)
        if (result.problem !== undefined) progress.onLine(`${member.name}: ${result.problem}`)
        isStored &&= result.isWhole
        outcome.isAmbiguous ||= result.isAmbiguous
        if (signal.aborted) return isStored
      }
    } catch (error) {
      if (error === signal.reason) return isStored
      progress.onLine(`${shownAs}: ${reasonOf(error).replaceAll(path, shownAs)}`)
      return false
    }
    const absent =
      isArchive && 'waveforms' in mapping ? imported.describeAbsent(mapping.waveforms) : undefined
    if (absent !== undefined) progress.onLine(`${shownAs}: ${absent}`)
    return isStored && absent === undefined
  }
}

/** The result of one file; `problem` is why it could not be read to its end. */
type ImportResult = ImportOutcome & { lines: string[]; problem: string | undefined }

/** Imports a file or a member of an archive, and describes the result. */
async function importMember(
  ingest: RecordIngest,
  member: FileMember,
  { mapping, stored, imported, progress, ...options }: ImportMemberOptions,
): Promise<ImportResult> {
  const report = emptyReport()
  const replace = options.replace ?? ('records' in mapping ? mapping.records.replace : 'keys')
  const summary = options.isDry
    ? new DryRunSummary(stored, await ingest.catalogue(), replace)
    : undefined
  let waveformLines: string[] = []
  const onProgress = (bytes: number) => progress.onBytes?.(bytes, member.bytes)
  const problem = await findProblem(async () => {
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
