import type { Catalogue } from '../domain/site/catalogue.ts'
import { RefusedError } from '../errors/refused-error.ts'
import { DAY_MS } from '../domain/time/wall-clock.ts'
import { chooseSources, type ExportChoice } from '../export/choose-sources.ts'
import { writeCsv } from '../export/csv.ts'
import { layOut, type ExportLayout } from '../export/columns.ts'
import { writeParquet } from '../export/parquet.ts'
import {
  readRows,
  type ExportReport,
  type ExportRows,
  type ExportSpan,
} from '../export/read-records.ts'
import { checkOutput, writeToStream, writeAtomically } from '../export/write-output.ts'
import { openCatalogue } from '../storage/current-catalogue.ts'
import type { RecordKind } from '../storage/storage.ts'
import { UsageError, type Command, type CommandContext } from './command.ts'
import { readEnd, readFormat, readKind, readStart, readTimeStyle } from './export-flags.ts'
import { openStorage } from './open.ts'
import { Progress } from './progress.ts'
import { readStructure } from './read-structure.ts'
import { countOf } from '../errors/show.ts'

export const exportRecords: Command = {
  summary: 'write records to a CSV or Parquet file',
  usage:
    'plumbline export --stations ID,... | --structure ID  --from TIME --to TIME --format csv|parquet --output FILE|-',
  help: `Writes one row for each record and one column for each item, "key [unit]". With several stations, rows
are grouped by station and name it. The file is created when the export is complete; if the command is
interrupted, no file is left.

  --stations ID,...   export these stations
  --structure ID      export all stations of this structure
  --kind KIND         theme: records of stations (default); raw: records of their sensors
  --from, --to TIME   first and last time: 2026-03-01 (the whole day), "2026-03-01 08:00:00" in the local
                      time of the structure, or 2026-03-01T08:00:00+08:00
  --format FORMAT     csv or parquet
  --output FILE       the file to write; - writes to standard output
  --force             replace an existing file
  --quality           write bad values too, and behind each item a column with the quality of its values,
                      such as "bad: cable cut", empty for good ones; otherwise the file has what is served

By default a row has the local time of the structure and the instant in two columns:
  --offset            write one column instead, 2026-03-01T08:00:00.000+08:00
  --utc               write one column instead, 2026-03-01T00:00:00.000Z

CSV only:
  --delimiter CHAR    the column delimiter, one character or the word tab (default: comma)
  --decimal-comma     write 1,5 instead of 1.5 (default delimiter then: semicolon)
  --bom               start with a byte order mark, by which spreadsheets recognize UTF-8
  --csv-formulas escape|keep
                      escape (default): prefix names and headers that a spreadsheet could run as a
                      formula with an apostrophe, which an import removes again; keep: write them as they are`,
  options: {
    stations: { type: 'string' },
    structure: { type: 'string' },
    kind: { type: 'string' },
    from: { type: 'string' },
    to: { type: 'string' },
    format: { type: 'string' },
    output: { type: 'string' },
    force: { type: 'boolean' },
    quality: { type: 'boolean' },
    delimiter: { type: 'string' },
    'decimal-comma': { type: 'boolean' },
    bom: { type: 'boolean' },
    'csv-formulas': { type: 'string' },
    utc: { type: 'boolean' },
    offset: { type: 'boolean' },
  },

  async run(context) {
    const { flags, signal, print } = context
    const kind = readKind(flags)
    const format = readFormat(flags)
    const times = readTimeStyle(flags)
    const output = flags['output']
    if (typeof output !== 'string' || output === '') throw new UsageError('export needs --output')
    const mayReplace = flags['force'] === true
    if (output !== '-') await checkOutput(output, mayReplace)

    await using storage = await openStorage(context, { mayBeRemote: true })
    const catalogue = await openCatalogue(storage.site)()
    const spans = readSpans(catalogue, kind, context)
    const layout = layOut(
      { kind, times, hasQuality: flags['quality'] === true },
      spans.map(({ source }) => source),
    )
    const report: ExportReport = { records: 0, unknownItems: new Set() }
    using progress = new Progress('days')
    const onProgress = showDays(progress, spans)
    const { records } = storage
    const rows = readRows({ data: records, kind, layout, spans, signal, report, onProgress })
    const chunks = write(layout, format, rows)
    try {
      await (output === '-'
        ? writeToStream(chunks, context.output)
        : writeAtomically(output, chunks, mayReplace))
    } catch (error) {
      if (!signal.aborted) throw error
      const left = output === '-' ? 'the output is incomplete' : `${output} was not written`
      throw new RefusedError('unavailable', `Stopped; ${left}.`)
    }
    progress[Symbol.dispose]()
    const printLine = output === '-' ? context.printError : print
    for (const line of describe(report, output, spans.length, kind)) printLine(line)
  },
}

const write = (
  layout: ExportLayout,
  format: ReturnType<typeof readFormat>,
  rows: AsyncIterable<ExportRows>,
): AsyncIterable<Uint8Array> =>
  format.name === 'csv' ? writeCsv(layout, format.style, rows) : writeParquet(layout, rows)

function readSpans(
  catalogue: Catalogue,
  kind: RecordKind,
  { flags }: CommandContext,
): ExportSpan[] {
  const spans = chooseSources(catalogue, kind, readChoice(catalogue, flags)).map((source) => ({
    source,
    from: readStart('--from', flags['from'], source.zone),
    to: readEnd('--to', flags['to'], source.zone),
  }))
  if (spans.some(({ from, to }) => from > to)) throw new UsageError('--from must not be after --to')
  return spans
}

function readChoice(catalogue: Catalogue, flags: CommandContext['flags']): ExportChoice {
  const structure = readStructure(flags['structure'], catalogue)
  const stations = flags['stations']
  if ((structure === undefined) === (stations === undefined))
    throw new UsageError('export needs either --stations or --structure')
  if (structure !== undefined) return { structure: structure.entry.id }
  if (typeof stations !== 'string' || !/^\s*\d{1,10}\s*(,\s*\d{1,10}\s*)*$/.test(stations))
    throw new UsageError('--stations must be station ids joined by commas, such as 1001,1002')
  return { stations: stations.split(',').map(Number) }
}

/** Shows progress in days, since the number of records is not known beforehand. */
function showDays(progress: Progress, spans: readonly ExportSpan[]) {
  const now = Date.now()
  let days = 0
  const starts = spans.map(({ from, to }) => {
    const start = { from, daysBefore: days }
    days += Math.max(0, (Math.min(to, now) - from) / DAY_MS)
    return start
  })
  const total = Math.ceil(days)
  return (span: number, instant: number): void => {
    const start = starts[span]
    if (start === undefined) return
    const done = start.daysBefore + (instant - start.from) / DAY_MS
    progress.show(Math.min(total, Math.floor(done)), total)
  }
}

function describe(
  { records, unknownItems }: ExportReport,
  output: string,
  sources: number,
  kind: RecordKind,
): string[] {
  const from = countOf(sources, kind === 'theme' ? 'station' : 'sensor')
  const strange = [...unknownItems].toSorted()
  return [
    ...(output === '-' ? [] : [`${output}: ${countOf(records, 'record')} of ${from}.`]),
    ...(strange.length === 0
      ? []
      : [`Skipped items that the site no longer has: ${strange.join(', ')}.`]),
  ]
}
