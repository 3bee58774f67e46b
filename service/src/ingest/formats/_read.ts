import { createReadStream } from 'node:fs'
import { zone } from '../../domain/time/local-time.ts'
import { readMapping } from './mapping.ts'
import { readRows, type PlacedBatch, type RowReadingOptions } from './read-rows.ts'

export const SENSOR = '6f1c1f9e-7c0e-4d0e-9d7a-0c5f6c3b1a01'

/** A column of a mapping, whose values go to an item of the sensor, with its `quality`. */
export const column = (name: string | number, key: string, quality?: string) =>
  `  - { column: ${typeof name === 'string' ? JSON.stringify(name) : name}, sensor: ${SENSOR}, key: ${key}` +
  `${quality === undefined ? '' : `, quality: ${quality}`} }\n`

/** The mapping of a CSV file with the columns `a` and `b`. */
export const CSV = `format: csv
delimiter: ;
time: { column: Time, format: 'YYYY-MM-DD HH:mm:ss[.S]' }
columns:
${column('a', 'x')}${column('b', 'y')}`

/** The mapping of a TOA5 file below `HEADER`. */
export const TOA5 = `format: toa5\ncolumns:\n${column('Strain', 'x')}${column('Temp', 'y')}`

export const HEADER = `"TOA5","S","CR6","1","Std","CPU:p.CR6","2","T"\r
"TIMESTAMP","RECORD","Strain","Temp"\r
"TS","RN","um/m","C"\r
"","","Smp","Avg"\r
`

/** A file of the test data. */
export const dataFile = (name: string): string =>
  new URL(`../../../test/data/${name}`, import.meta.url).pathname

export type Options = Partial<Omit<RowReadingOptions, 'mapping'>> & {
  timeZone?: string
  /** Left out: small ones, so that lines lie across their edges. */
  chunkBytes?: number
}

/** Reads bytes with the text of a mapping. */
export async function readAll(
  content: string | Uint8Array,
  mapping: string,
  { timeZone = 'UTC', chunkBytes = 7, ...options }: Options = {},
): Promise<PlacedBatch[]> {
  const bytes = Buffer.from(content as Uint8Array)
  return collect(async function* (offset) {
    for (let at = offset; at < bytes.length; at += chunkBytes)
      yield bytes.subarray(at, at + chunkBytes)
  })

  function collect(open: (offset: number) => AsyncIterable<Uint8Array>) {
    return Array.fromAsync(
      readRows(open, {
        mapping: readMapping(mapping, 'm.yaml'),
        zoneOf: () => zone(timeZone),
        takesOpenLine: true,
        ...options,
      }),
    )
  }
}

/** Reads a file of the test data into one batch. */
export async function readFileWhole(name: string, mapping: string): Promise<PlacedBatch> {
  const batches = await Array.fromAsync(
    readRows((start) => createReadStream(dataFile(name), { start }), {
      mapping: readMapping(mapping, 'm.yaml'),
      zoneOf: () => zone('Europe/Berlin'),
      takesOpenLine: true,
      batchRecords: Infinity,
    }),
  )
  return batches[0]!
}

/** Rows as `time key=value…` with qualities in parentheses, and rejects as `line: reason`. */
export const shown = (batches: readonly PlacedBatch[]): string[] =>
  batches.flatMap(({ raw, theme }) =>
    [...raw, ...theme].map(
      ({ time, values, quality = {} }) =>
        `${new Date(time).toISOString()} ${Object.entries(values)
          .map(
            ([key, value]) =>
              `${key}=${value}${Object.hasOwn(quality, key) ? ` (${quality[key]})` : ''}`,
          )
          .join(' ')}`,
    ),
  )

export const rejectedIn = (batches: readonly PlacedBatch[]): string[] =>
  batches.flatMap(({ rejected }) => rejected.map(({ line, reason }) => `${line.number}: ${reason}`))
