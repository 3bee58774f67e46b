import { createWriteStream } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { once } from 'node:events'
import { series, SITE_ZONE } from './series.ts'
import { FIRST_INSTANT, ITEM_KEYS } from './site.ts'

/** A logger's file and the mapping to read it by. */
export type LoggerFile = { file: string; mapping: string; rows: number; values: number }

const ROW_MILLISECONDS = 10_000

/**
 * Writes a TOA5 file of about a given number of megabytes, a row every ten seconds, with the items of some
 * stations in its columns: a row a minute would lead into the future.
 */
export async function writeLoggerFile(
  name: string,
  { megabytes, stations }: { megabytes: number; stations: readonly number[] },
): Promise<LoggerFile> {
  const columns = stations.flatMap((station) =>
    ITEM_KEYS.map((item) => ({ column: `S${station}_${item}`, station, item })),
  )
  const file = `${name}.dat`
  const mapping = `${name}.mapping.yaml`
  const lines = columns.map((column) => `  - ${JSON.stringify(column)}`)
  await writeFile(mapping, `format: toa5\noffset: '+08:00'\ncolumns:\n${lines.join('\n')}\n`)

  const line = (first: readonly string[], each: (column: string) => string): string =>
    [...first, ...columns.map(({ column }) => each(column))].join(',') + '\r\n'
  const out = createWriteStream(file)
  out.write('"TOA5","bench","CR6","1","CR6.Std.12","CPU:bench.CR6","1","Minutes"\r\n')
  out.write(line(['"TIMESTAMP"', '"RECORD"'], (column) => `"${column}"`))
  out.write(line(['"TS"', '"RN"'], () => '"mm"'))
  out.write(line(['""', '""'], () => '"Avg"'))

  const wanted = megabytes * 1e6
  let size = 0
  let rows = 0
  for (const { values } of series(Infinity)) {
    const numbers = stations.map(() => values.join(',')).join(',')
    const time = SITE_ZONE.toLocal(FIRST_INSTANT + rows * ROW_MILLISECONDS)
    const text = `"${time}",${rows++},${numbers}\r\n`
    size += text.length
    if (!out.write(text)) await once(out, 'drain')
    if (size >= wanted) break
  }
  out.end()
  await once(out, 'finish')
  return { file, mapping, rows, values: rows * columns.length }
}
