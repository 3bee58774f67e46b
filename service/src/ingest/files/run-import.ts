import { access, constants } from 'node:fs/promises'
import { basename } from 'node:path'
import type { Replacement } from '@plumbline/contract'
import { Commits } from '../../commit/commits.ts'
import type { RejectLimits, Storage } from '../../storage/storage.ts'
import type { AnyMapping } from '../formats/mapping.ts'
import { RecordIngest } from '../record-ingest.ts'
import { Backfill } from '../records/backfill.ts'
import { EarlySources } from '../records/early-sources.ts'
import { IngestClock } from '../records/ingest-clock.ts'
import { RejectWriter } from '../rejects/reject-writer.ts'
import type { ArchiveLimits } from './archive-budget.ts'
import {
  importAll,
  type ImportedFile,
  type ImportOutcome,
  type ImportProgress,
} from './import-all.ts'

/** What the settings say about imports. */
export type ImportSettings = {
  /** Milliseconds that a record may be ahead of the clock. */
  clockTolerance: number
  analysisSamples: number
  rejects: RejectLimits
  mostReservedBytes: number
  archives: ArchiveLimits
}

type ImportRun = {
  files: readonly ImportedFile[]
  mapping: AnyMapping
  /** The path of the mapping, with which rejected rows are read again. */
  mappingFile: string
  members?: string | undefined
  replace?: Replacement | undefined
  /** Whether nothing is stored. */
  isDry: boolean
  /** Whether the records that it replaces are forgotten: then it cannot be undone. */
  isChangeFree?: boolean
  settings: ImportSettings
  /** Throws a `RefusedError` while nothing may be stored. */
  requireIntake(): void
  /** Whether a service writes at the same time; otherwise portions are large. */
  isBesideLive(): boolean
  signal: AbortSignal
  progress: ImportProgress
  /** Called before the first record is stored. */
  onBegin?(change: number | undefined): Promise<void>
}

export type ImportResult = ImportOutcome & {
  /** The change by which it can be undone. */
  change: number | undefined
  /** What the change stored; without one the counts are not known. */
  records: number
  waveforms: number
}

/** Stores the records and waveforms of files. Their alarms are raised, and notify nobody. */
export async function runImport(storage: Storage, run: ImportRun): Promise<ImportResult> {
  const { files, settings, isDry, signal, progress } = run
  const { clockTolerance } = settings
  await using ingest = RecordIngest.open({
    storage,
    clock: new IngestClock({ now: Date.now, requireIntake: run.requireIntake }),
    commits: Commits.open({ storage, now: Date.now, clockTolerance, isNotified: false }),
    backfill: new Backfill({ manyRecords: 0, isBesideLive: run.isBesideLive }),
    early: new EarlySources(storage, clockTolerance),
    analysisSamples: settings.analysisSamples,
  })
  const mayStore = !isDry && (await isAnyReadable(files))
  const change =
    mayStore && run.isChangeFree !== true
      ? await storage.changes.begin({
          kind: 'import',
          description: files.map(({ path, shownAs = path }) => basename(shownAs)).join(', '),
          startedAt: Date.now(),
        })
      : undefined
  if (mayStore) await run.onBegin?.(change)
  using rejects = new RejectWriter({
    store: storage.rejects,
    keep: settings.rejects,
    isQuiet: true,
    log: {
      warn: (fields, message) => progress.onLine(`${message} ${JSON.stringify(fields)}`),
    },
  })
  const outcome = await importAll(files, ingest, {
    mapping: run.mapping,
    mappingFile: run.mappingFile,
    members: run.members,
    replace: run.replace,
    stored: storage.records,
    rejects,
    change,
    isDry,
    signal,
    mostReservedBytes: settings.mostReservedBytes,
    limits: settings.archives,
    progress,
  })
  if (change !== undefined && !signal.aborted) await storage.changes.finish(change, Date.now())
  return { ...outcome, change, ...(await countChange(storage, change)) }
}

async function countChange({ changes }: Pick<Storage, 'changes'>, change: number | undefined) {
  const found = (await changes.list()).find(({ id }) => id === change)
  return { records: found?.records ?? 0, waveforms: found?.waveforms ?? 0 }
}

async function isAnyReadable(files: readonly ImportedFile[]): Promise<boolean> {
  const results = await Promise.allSettled(files.map(({ path }) => access(path, constants.R_OK)))
  return results.some(({ status }) => status === 'fulfilled')
}
