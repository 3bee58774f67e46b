import type { RecordKeys, RecordRows } from '../../storage.ts'

type RecordKey = { source: number; time: number }

export type RecordRow = RecordKey & { record: string }

/** Keys in columns, one by one. */
export function* eachKey({ sources, times }: RecordKeys): Generator<RecordKey> {
  for (const [at, source] of sources.entries()) {
    const time = times[at]
    if (time === undefined) throw new RangeError('the columns of records must be equally long')
    yield { source, time }
  }
}

/** Records in columns, one by one. */
export function* eachRecord({ sources, times, records }: RecordRows): Generator<RecordRow> {
  for (const [at, source] of sources.entries()) {
    const time = times[at]
    const record = records[at]
    if (time === undefined || record === undefined)
      throw new RangeError('the columns of records must be equally long')
    yield { source, time, record }
  }
}
