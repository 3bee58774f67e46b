import { readFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import { REPLACEMENTS, WAVEFORM_FORMATS, type Replacement } from '@plumbline/contract'
import { ROW_FORMATS } from '@plumbline/contract/mapping'
import type { UncheckedSettings } from '../config/config.ts'
import { RefusedError } from '../errors/refused-error.ts'
import { codeOf } from '../errors/thrown.ts'
import { readAnyMapping, type AnyMapping } from '../ingest/formats/mapping.ts'
import { runImport } from '../ingest/files/run-import.ts'
import { importSettings } from '../startup/ingest-limits.ts'
import { requireKnownClock } from '../clock/clock-problem.ts'
import { diskSpaceOf } from '../startup/disk-monitor.ts'
import { usesPostgres } from '../startup/storage-settings.ts'
import { isServed } from '../storage/sqlite/connection/serving-lock.ts'
import { readText, UsageError, type Command, type CommandContext } from './command.ts'
import { loadSettings } from './load-settings.ts'
import { openStorage } from './open.ts'
import { Progress } from './progress.ts'
import { recordWrite } from './record-command.ts'
import { textOfBytes } from '../yaml/yaml-bytes.ts'

export const importFiles: Command = {
  summary: 'store the records and waveforms of files',
  usage:
    'plumbline import FILE... --mapping FILE [--members PATTERN] [--replace keys|whole] [--dry-run] [--change-free] [--json]',
  help: `Reads files of loggers and spreadsheets (${ROW_FORMATS.join(', ')}). A mapping file says which column holds which
value. ZIP archives are read too, including nested archives, and one sheet of each XLSX workbook. Rows that
cannot be stored are rejected: they are counted, listed and kept, and all other rows are stored. Importing a
file again stores the same records again.

With "format: waveform" the mapping says which channel of a waveform file belongs to which station
(${WAVEFORM_FORMATS.join(', ')}). Such a file is stored completely or rejected completely, with the reason.

  --mapping FILE      the mapping file; see docs/file-import.md and docs/mapping.schema.json
  --members PATTERN   read only archive members of this name, such as '*.csv' (default: all)
  --replace HOW       what a row does to a stored record of its time, in place of what the mapping says: keys
                      replaces the values that the row has, whole replaces the record
  --dry-run           show what would be stored, replaced and rejected, with the first and last time and the
                      smallest and largest values of each sensor and station, and change nothing
  --change-free       do not keep the replaced records: faster, and cannot be undone
  --json              print JSON: {"change", "records", "waveforms", "isWhole"}; lines about files go to
                      standard error. Without a change the records are not counted.

Reading an archive ends where the archive, with all archives in it, exceeds a limit:
  --max-inflated MB   inflated size (default: ingest.archives.maxInflatedMegabytes, 16384)
  --max-ratio N       ratio of inflated and compressed size beyond the first 64 MB (default:
                      ingest.archives.maxRatio, 200)
  --max-members N     number of members (default: ingest.archives.maxMembers, 100000)

Reading a file ends where it has more consecutive NUL bytes than a logger reserves:
  --max-reserved MB   limit of NUL bytes (default: ingest.maxReservedMegabytes, 256)

Prints the number with which "plumbline undo" undoes the import. Exits with 0 if everything was stored, and
with 1 if anything was rejected, such as rows in an hour that clocks skip, or if rows lie in an hour that
occurs twice and do not show which pass they mean.`,
  options: {
    mapping: { type: 'string' },
    members: { type: 'string' },
    replace: { type: 'string' },
    'dry-run': { type: 'boolean' },
    'change-free': { type: 'boolean' },
    json: { type: 'boolean' },
    'max-inflated': { type: 'string' },
    'max-ratio': { type: 'string' },
    'max-members': { type: 'string' },
    'max-reserved': { type: 'string' },
  },

  async run(context) {
    const { dataFolder, flags, positionals, signal, printError } = context
    const isJson = flags['json'] === true
    const print = isJson ? printError : context.print
    if (positionals.length === 0) throw new UsageError('the file to import is missing')
    if (flags['mapping'] === undefined) throw new UsageError('import needs --mapping')
    const mapping = await readMappingFile(String(flags['mapping']))
    const replace = readReplace(flags, mapping)
    const config = await loadSettings(context, {
      flags: readLimits(flags),
      flagNames: LIMIT_FLAGS,
    })
    const isDry = flags['dry-run'] === true

    await using storage = await openStorage(context, {
      config,
      synchronous: config['storage.synchronous'],
    })
    await requireKnownClock(storage, Date.now())
    const disk = diskSpaceOf(dataFolder, config)
    let progress: Progress | undefined
    const { change, isWhole, isAmbiguous, ...counts } = await runImport(storage, {
      files: positionals.map((path) => ({ path })),
      mapping,
      mappingFile: resolve(String(flags['mapping'])),
      members: readText(flags, 'members'),
      replace,
      isDry,
      isChangeFree: flags['change-free'] === true,
      settings: importSettings(config),
      requireIntake: () => disk.requireSpace(),
      // Of a server it is not known who else uses it.
      isBesideLive: () => usesPostgres(config) || isServed(dataFolder),
      signal,
      progress: {
        onLine: print,
        onMember: () => void (progress = new Progress('bytes')),
        onBytes: (bytes, of) => progress?.show(bytes, of),
        onMemberEnd: () => progress?.[Symbol.dispose](),
      },
      async onBegin(begun) {
        const details = {
          ...(begun === undefined ? {} : { change: begun }),
          files: positionals.length,
        }
        await recordWrite(storage, 'import', details, printError)
      },
    })
    if (isJson) context.print(JSON.stringify({ change: change ?? null, ...counts, isWhole }))
    if (change !== undefined)
      print(
        counts.records + counts.waveforms > 0
          ? `Stored as change ${change}; run "plumbline undo ${change}" to undo it.`
          : 'Nothing was stored.',
      )
    if (isDry) print('(dry run: nothing was changed)')
    if (signal.aborted) print('Stopped. The records stored so far are kept.')
    if (!isWhole) throw new RefusedError('invalid', 'Not all data was stored.')
    if (isAmbiguous)
      throw new RefusedError('invalid', 'The time of some rows is ambiguous; see the output.')
  },
}

function readReplace(
  { replace }: CommandContext['flags'],
  mapping: AnyMapping,
): Replacement | undefined {
  if (replace === undefined) return undefined
  if ('waveforms' in mapping) throw new UsageError('--replace needs a mapping of rows')
  const found = REPLACEMENTS.find((one) => one === replace)
  if (found === undefined) throw new UsageError(`--replace must be ${REPLACEMENTS.join(' or ')}`)
  return found
}

/** Flags that override settings. */
const LIMIT_FLAGS = {
  'ingest.archives.maxInflatedMegabytes': 'max-inflated',
  'ingest.archives.maxRatio': 'max-ratio',
  'ingest.archives.maxMembers': 'max-members',
  'ingest.maxReservedMegabytes': 'max-reserved',
} as const

const readLimits = (flags: CommandContext['flags']): UncheckedSettings =>
  Object.fromEntries(Object.entries(LIMIT_FLAGS).map(([setting, flag]) => [setting, flags[flag]]))

async function readMappingFile(name: string): Promise<AnyMapping> {
  const bytes = await readFile(name).catch((error) => {
    throw new RefusedError('absent', `The mapping file ${name} cannot be read: ${codeOf(error)}.`)
  })
  return readAnyMapping(textOfBytes(bytes, name), name)
}
