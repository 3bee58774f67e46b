import type { RecordKeys, RecordRows } from '../../stores/records.ts'

type KeyEntry = { source: number; time: number }

export type RecordEntry = KeyEntry & { record: string }

/** Keys in columns, one by one. */
export function* eachKey({ sources, times }: RecordKeys): Generator<KeyEntry> {
  for (const [at, source] of sources.entries()) {
    const time = times[at]
    if (time === undefined) throw new RangeError('the columns of records must be equally long')
    yield { source, time }
  }
}

/** Records in columns, one by one. */
export function* eachRecord({ sources, times, records }: RecordRows): Generator<RecordEntry> {
  for (const [at, source] of sources.entries()) {
    const time = times[at]
    const record = records[at]
    if (time === undefined || record === undefined)
      throw new RangeError('the columns of records must be equally long')
    yield { source, time, record }
  }
}
