import { setImmediate } from 'node:timers/promises'
import { BATCH_MAXIMUM } from '@plumbline/contract'
import { RefusedError } from '../../../errors/refused-error.ts'
import { UnreadableRecord } from '../../../json/unreadable-record.ts'
import { LINES_MAXIMUM, TOO_MANY_LINES } from '../../../ingest/formats/line-limit.ts'
import type { JsonScan } from '../../../json/json-scan.ts'
import { readJson } from '../../../json/read-json.ts'

/** The parsed lines of a body; each record is checked where it is stored. */
export class Lines {
  readonly records: unknown[]
  constructor(records: unknown[]) {
    this.records = records
  }
}

const LINE_END = 0x0a

/** Bytes and lines that are parsed before other requests are processed. */
const SLICE_BYTES = 32 * 1024
const SLICE_LINES = 1_000

/**
 * Parses one JSON record a line. A line that is not JSON becomes an `UnreadableRecord`.
 *
 * Stops after one record more than a batch may have.
 */
export async function readLines(bytes: Uint8Array, scan: JsonScan): Promise<Lines> {
  const records: unknown[] = []
  let sliceBytes = 0
  let lines = 0
  for (let at = 0; at < bytes.length && records.length <= BATCH_MAXIMUM;) {
    const found = bytes.indexOf(LINE_END, at)
    const end = found < 0 ? bytes.length : found
    if (++lines > LINES_MAXIMUM) throw new RefusedError('invalid', TOO_MANY_LINES)
    const record = end === at ? BLANK : await readLine(bytes.subarray(at, end), scan)
    if (record !== BLANK) records.push(record)
    sliceBytes += end - at
    at = end + 1
    if (sliceBytes < SLICE_BYTES && lines % SLICE_LINES !== 0) continue
    sliceBytes = 0
    await setImmediate()
  }
  return new Lines(records)
}

const BLANK = Symbol('blank line')

async function readLine(line: Uint8Array, scan: JsonScan): Promise<unknown> {
  scan.startNext()
  try {
    await scan.pushInSlices(line)
    const record = await readJson(line, scan)
    return record === undefined ? BLANK : record
  } catch (error) {
    if (!(error instanceof RefusedError) || scan.isFull) throw error
    return new UnreadableRecord(error.message)
  }
}
