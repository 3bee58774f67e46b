import { readFile } from 'node:fs/promises'
import { basename, resolve } from 'node:path'
import { Commits } from '../commit/commits.ts'
import type { GivenSettings } from '../config/config.ts'
import { loadConfig } from '../config/load.ts'
import { RefusedError } from '../errors/refused-error.ts'
import { IngestClock } from '../ingest/records/ingest-clock.ts'
import { RecordIngest } from '../ingest/record-ingest.ts'
import type { ArchiveLimits } from '../ingest/files/archive-budget.ts'
import { EarlySources } from '../ingest/records/early-sources.ts'
import { fileMembers, type FileMember } from '../ingest/files/file-members.ts'
import { importFile, type ImportOptions } from '../ingest/files/import-file.ts'
import { describeReport, emptyReport } from '../ingest/files/import-report.ts'
import { importWaveforms } from '../ingest/files/import-waveforms.ts'
import { NAME_IS_NOT_UTF8 } from '../ingest/files/shown-name.ts'
import { readAnyMapping, type AnyMapping } from '../ingest/formats/mapping.ts'
import { Rejects } from '../ingest/rejects/rejects.ts'
import { keepOf } from '../startup/start-ingest.ts'
import { Backfill } from '../ingest/records/backfill.ts'
import { requireKnownClock } from '../clock/clock-problem.ts'
import { isServed } from '../storage/sqlite/connection/serving-lock.ts'
import { UsageError, type Command, type CommandContext } from './command.ts'
import { openStorage } from './open.ts'
import { Progress } from './progress.ts'
import { recordWrite } from './record-command.ts'

export const importFiles: Command = {
  summary: 'store what stands in files: CSV, TOA5, mixed arrays, waveforms',
  usage: 'plumbline import FILE... --mapping FILE [--members PATTERN] [--dry-run] [--change-free]',
  help: `Reads files of loggers and spreadsheets by a mapping, which says which column is what. ZIP archives
are looked into, also within each other. Rows that cannot be stored are counted, named and kept; the
good rest is stored. A file may be imported again: what is there already is replaced by the same.

With "format: waveform" the mapping says which channel of miniSEED, SAC, UFF58, CSMIP, COSMOS, WAV or
CSV files goes to which station. Such a file is stored whole or refused whole, with its reason.

  --mapping FILE      the mapping file; its form: docs/file-import.md, docs/mapping.schema.json
  --members PATTERN   of an archive only members like this, for example '*.csv' (default: all)
  --dry-run           says what would be stored and what refused, not what of it would replace earlier records,
                      and changes nothing
  --change-free       does not remember what was there before: faster, and cannot be undone

An archive ends where it exceeds a limit, archives within it included:
  --max-inflated MB   what it inflates to (default: ingest.archives.maxInflatedMegabytes, 16384)
  --max-ratio N       how many times its own size that is, beyond the first 64 MB (default:
                      ingest.archives.maxRatio, 200)
  --max-members N     how many members it has (default: ingest.archives.maxMembers, 100000)

A file ends where it holds more NUL bytes in a row than a logger reserves:
  --max-reserved MB   how many (default: ingest.maxReservedMegabytes, 256)

Prints the number by which "plumbline undo" restores what was there before. Ends with 0 when
everything was stored, and with 1 when anything was refused.`,
  options: {
    mapping: { type: 'string' },
    members: { type: 'string' },
    'dry-run': { type: 'boolean' },
    'change-free': { type: 'boolean' },
    'max-inflated': { type: 'string' },
    'max-ratio': { type: 'string' },
    'max-members': { type: 'string' },
    'max-reserved': { type: 'string' },
  },

  async run(context) {
    const { dataFolder, configFile, flags, positionals, signal, print, complain } = context
    if (positionals.length === 0) throw new UsageError('the file to import is missing')
    if (flags['mapping'] === undefined) throw new UsageError('import needs --mapping')
    const mapping = await readMappingFile(String(flags['mapping']))
    const config = await loadConfig({
      dataFolder,
      file: configFile,
      flags: readLimits(flags),
      flagNames: LIMIT_FLAGS,
    })
    const isDry = flags['dry-run'] === true

    await using storage = await openStorage(
      { dataFolder, complain },
      {
        synchronous: config['storage.synchronous'],
      },
    )
    await requireKnownClock(storage, Date.now())
    const clockTolerance = config['ingest.clockToleranceSeconds'] * 1000
    const commits = Commits.open({ storage, now: Date.now, clockTolerance, isNotified: false })
    await using ingest = RecordIngest.open({
      storage,
      clock: new IngestClock({ now: Date.now }),
      commits,
      // Large portions where no service writes beside it.
      backfill: new Backfill({ manyRecords: 0, isBesideLive: () => isServed(dataFolder) }),
      early: new EarlySources(storage, clockTolerance),
      analysisSamples: config['vibration.maxAnalysisSamples'],
    })
    const isRemembered = !isDry && flags['change-free'] !== true
    const change = isRemembered
      ? await storage.changes.begin({
          kind: 'import',
          description: positionals.map((file) => basename(file)).join(', '),
          startedAt: Date.now(),
        })
      : undefined
    const files = positionals.length
    if (!isDry)
      recordWrite('import', { ...(change === undefined ? {} : { change }), files }, complain)
    using rejects = new Rejects({
      store: storage.rejects,
      keep: keepOf(config),
      log: { warn: (fields, message) => print(`${message} ${JSON.stringify(fields)}`) },
    })
    const isWhole = await importAll(context, ingest, {
      mapping,
      mappingFile: resolve(String(flags['mapping'])),
      rejects,
      change,
      isDry,
      signal,
      mostReservedBytes: config['ingest.maxReservedMegabytes'] * 2 ** 20,
      limits: {
        inflatedBytes: config['ingest.archives.maxInflatedMegabytes'] * 2 ** 20,
        ratio: config['ingest.archives.maxRatio'],
        members: config['ingest.archives.maxMembers'],
        depth: config['ingest.archives.maxDepth'],
      },
    })
    if (change !== undefined) {
      if (!signal.aborted) await storage.changes.finish(change, Date.now())
      const { records = 0, waveforms = 0 } =
        (await storage.changes.list()).find(({ id }) => id === change) ?? {}
      print(
        records + waveforms > 0
          ? `This is import ${change}; "plumbline undo ${change}" restores what was there before.`
          : 'Nothing was stored, and there is nothing to undo.',
      )
    }
    if (isDry) print('(dry run: nothing was changed)')
    if (signal.aborted) print('Stopped; what was stored until then stays.')
    if (!isWhole) throw new RefusedError('invalid', 'Not everything could be stored.')
  },
}

type ImportMemberOptions = Omit<ImportOptions, 'onProgress' | 'mapping'> & { mapping: AnyMapping }
type ImportAllOptions = ImportMemberOptions & { limits: ArchiveLimits }

/** Flags that stand for settings. */
const LIMIT_FLAGS = {
  'ingest.archives.maxInflatedMegabytes': 'max-inflated',
  'ingest.archives.maxRatio': 'max-ratio',
  'ingest.archives.maxMembers': 'max-members',
  'ingest.maxReservedMegabytes': 'max-reserved',
} as const

const readLimits = (flags: CommandContext['flags']): GivenSettings =>
  Object.fromEntries(Object.entries(LIMIT_FLAGS).map(([setting, flag]) => [setting, flags[flag]]))

/** Whether everything was stored. */
async function importAll(
  { positionals, flags, signal, print }: CommandContext,
  ingest: RecordIngest,
  { limits, ...options }: ImportAllOptions,
): Promise<boolean> {
  let isWhole = true
  for (const file of positionals) {
    const attempt = await importMembers(ingest, file)
    isWhole &&= attempt
    if (signal.aborted) break
  }
  return isWhole

  async function importMembers(ingest: RecordIngest, file: string): Promise<boolean> {
    let isStored = true
    try {
      const pattern = flags['members'] as string | undefined
      for await (const member of fileMembers(file, { pattern, limits, signal })) {
        const {
          lines,
          refusal,
          isWhole: isMemberWhole,
        } = await importMember(ingest, member, options)
        if (lines.length > 0) print(`${member.name}: ${lines.join('\n')}`)
        if (refusal !== undefined) print(`${member.name}: ${refusal}`)
        isStored &&= isMemberWhole
        if (signal.aborted) break
      }
    } catch (error) {
      if (error === signal.reason) return isStored
      print(`${file}: ${wordsOf(error)}`)
      return false
    }
    return isStored
  }
}

type ImportOutcome = { lines: string[]; refusal: string | undefined; isWhole: boolean }

/** What became of a file or of a member of an archive, in lines. */
async function importMember(
  ingest: RecordIngest,
  member: FileMember,
  { mapping, ...options }: ImportMemberOptions,
): Promise<ImportOutcome> {
  const report = emptyReport()
  let ofWaveforms: string[] = []
  const refusal = await refusalOf(async () => {
    using progress = new Progress('bytes')
    const onProgress = (bytes: number) => progress.show(bytes, member.bytes)
    if ('records' in mapping)
      await importFile(ingest, member, { ...options, mapping: mapping.records, onProgress }, report)
    else {
      const given = { ...options, mapping: mapping.waveforms, onProgress }
      ofWaveforms = await importWaveforms(ingest, member, given)
    }
  }, options.signal)
  const isWhole = refusal === undefined && report.refused.rows === 0
  const lines = 'records' in mapping ? describeReport(report, options.isDry) : ofWaveforms
  return { lines, refusal, isWhole }
}

async function refusalOf(
  work: () => Promise<void>,
  signal: AbortSignal,
): Promise<string | undefined> {
  try {
    await work()
    return undefined
  } catch (error) {
    return error === signal.reason ? undefined : wordsOf(error)
  }
}

/** A file that cannot be read does not keep the others from being read; any other failure does. */
function wordsOf(error: unknown): string {
  if (error instanceof RefusedError && error.reason === 'invalid') return error.message
  const { code, syscall, path } = error as NodeJS.ErrnoException
  if (code === 'ENOENT' && path?.includes('\u{fffd}') === true) return NAME_IS_NOT_UTF8
  if (syscall === 'open' || syscall === 'read') return `it cannot be read: ${code}.`
  throw error
}

export async function readMappingFile(name: string) {
  const text = await readFile(name, 'utf8').catch((error: NodeJS.ErrnoException) => {
    throw new RefusedError('absent', `The mapping file ${name} cannot be read: ${error.code}.`)
  })
  return readAnyMapping(text, name)
}
