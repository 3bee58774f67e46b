import { createReadStream } from 'node:fs'
import { pipeline } from 'node:stream/promises'
import Papa from 'papaparse'

/** Reads a file with papaparse alone and makes numbers of its fields; returns milliseconds. */
export async function readWithPapaparse(file: string, values: number): Promise<number> {
  const begin = performance.now()
  let count = 0
  let line = 0
  await pipeline(
    createReadStream(file, { encoding: 'utf8' }),
    Papa.parse(Papa.NODE_STREAM_INPUT, { skipEmptyLines: true }),
    async (rows: AsyncIterable<string[]>) => {
      for await (const row of rows) {
        if (++line <= HEADER_LINES) continue
        for (let at = 2; at < row.length; at++) if (Number.isFinite(Number(row[at]))) count++
      }
    },
  )
  if (count !== values) throw new Error(`papaparse read ${count} values of ${values}`)
  return performance.now() - begin
}

const HEADER_LINES = 4
