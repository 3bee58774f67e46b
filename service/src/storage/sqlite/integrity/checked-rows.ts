import type { Statement } from '../../sql/statement.ts'

export type RecordTuple = readonly [source: number, time: number, record: string]

/** A source from one instant to another, both included. */
export type SpanTuple = readonly [source: number, from: number, to: number]

/** The values of a statement that is checked as `records`, a row each. */
export function recordRows({ sql, values }: Statement): RecordTuple[] {
  const rows: RecordTuple[] = []
  for (let at = 0; at < values.length; at += 3) {
    const source = values[at]
    const time = values[at + 1]
    const record = values[at + 2]
    if (typeof source !== 'number' || typeof time !== 'number' || typeof record !== 'string')
      throw new TypeError(`A row of "${sql}" must be a source, an instant and a text.`)
    rows.push([source, time, record])
  }
  return rows
}

/** The values of a statement that is checked as `spans`, a row each. */
export function spanRows({ sql, values }: Statement): SpanTuple[] {
  const rows: SpanTuple[] = []
  for (let at = 0; at < values.length; at += 3) {
    const source = values[at]
    const from = values[at + 1]
    const to = values[at + 2]
    if (typeof source !== 'number' || typeof from !== 'number' || typeof to !== 'number')
      throw new TypeError(`A row of "${sql}" must be a source and two instants.`)
    rows.push([source, from, to])
  }
  return rows
}
