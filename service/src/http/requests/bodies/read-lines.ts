import { setImmediate } from 'node:timers/promises'
import { BATCH_MAXIMUM } from '@plumbline/contract'
import { RefusedError } from '../../../errors/refused-error.ts'
import { UnreadableRecord } from '../../../json/unreadable-record.ts'
import { LINES_MAXIMUM, TOO_MANY_LINES } from '../../../ingest/formats/line-limit.ts'
import type { JsonScan } from '../../../json/json-scan.ts'
import { readJson } from '../../../json/read-json.ts'

/** Records that came one a line; each is checked where it is stored. */
export class Lines {
  readonly records: unknown[]
  constructor(records: unknown[]) {
    this.records = records
  }
}

const LINE_END = 0x0a

/** After so many bytes, or so many lines, others have their turn. */
const BYTES_AT_ONCE = 32 * 1024
const LINES_AT_ONCE = 1_000

/**
 * A line that is not JSON becomes a record that is refused by its number, not the whole batch.
 *
 * Lines beyond the first too many are not looked at: the batch is refused.
 */
export async function readLines(bytes: Uint8Array, scan: JsonScan): Promise<Lines> {
  const records: unknown[] = []
  let seen = 0
  let lines = 0
  for (let at = 0; at < bytes.length && records.length <= BATCH_MAXIMUM;) {
    const found = bytes.indexOf(LINE_END, at)
    const end = found < 0 ? bytes.length : found
    if (++lines > LINES_MAXIMUM) throw new RefusedError('invalid', TOO_MANY_LINES)
    const record = end === at ? NOTHING : await readLine(bytes.subarray(at, end), scan)
    if (record !== NOTHING) records.push(record)
    seen += end - at
    at = end + 1
    if (seen < BYTES_AT_ONCE && lines % LINES_AT_ONCE !== 0) continue
    seen = 0
    await setImmediate()
  }
  return new Lines(records)
}

const NOTHING = Symbol('a line of blanks')

async function readLine(line: Uint8Array, scan: JsonScan): Promise<unknown> {
  scan.startNext()
  try {
    await scan.pushInSlices(line)
    const record = await readJson(line, scan)
    return record === undefined ? NOTHING : record
  } catch (error) {
    if (!(error instanceof RefusedError) || scan.isFull) throw error
    return new UnreadableRecord(error.message)
  }
}
