/** What the platform has instead of the service's own encodings, to compare them with. */
import { deflateRawSync, inflateRawSync } from 'node:zlib'
import type { HourSummary } from '../../service/src/domain/records/hour-summary.ts'

/** The points of a waveform, each number as `String` writes it. */
export function writePlainPoints(
  part: Float64Array,
  first: number,
  sampleFreq: number,
): Uint8Array {
  let text = ''
  for (const [at, value] of part.entries())
    text += `${first + at === 0 ? '' : ','}{"value":"${value}","time":"${(first + at) / sampleFreq}"}`
  return Buffer.from(text, 'latin1')
}

const COLUMNS = 7

/** Hours by DEFLATE of doubles: a column after the other, behind the key of their item. */
export function deflateHours(hours: readonly HourSummary[]): Uint8Array {
  const keys = [...new Set(hours.flatMap(({ items }) => [...items.keys()]))]
  const blocks = keys.map((key) => {
    const of = hours.flatMap(({ start, items }) => {
      const item = items.get(key)
      return item === undefined
        ? []
        : [[start, item.minimum, item.maximum, item.sum, item.count, item.first, item.last]]
    })
    const columns = Array.from({ length: COLUMNS }, (_, column) =>
      of.map((row) => row[column] ?? 0),
    ).flat()
    return { key, rows: of.length, columns }
  })
  const head = Buffer.from(JSON.stringify(blocks.map(({ key, rows }) => [key, rows])))
  const doubles = Float64Array.from(blocks.flatMap(({ columns }) => columns))
  const length = Buffer.alloc(4)
  length.writeUInt32LE(head.length)
  return deflateRawSync(Buffer.concat([length, head, new Uint8Array(doubles.buffer)]), { level: 7 })
}

/** Reads the hours of an item from what `deflateHours` wrote. */
export function inflateHours(bytes: Uint8Array, item: string | undefined): HourSummary[] {
  const inflated = inflateRawSync(bytes)
  const end = 4 + inflated.readUInt32LE()
  const blocks: [string, number][] = JSON.parse(inflated.toString('utf8', 4, end))
  const doubles = new Float64Array(
    inflated.buffer.slice(inflated.byteOffset + end, inflated.byteOffset + inflated.length),
  )
  const hours: HourSummary[] = []
  let at = 0
  for (const [key, rows] of blocks) {
    if (key === item) {
      const column = (number: number) =>
        doubles.subarray(at + number * rows, at + (number + 1) * rows)
      const [minimum, maximum, sum, count, first, last] = [1, 2, 3, 4, 5, 6].map(column)
      for (const [row, start] of column(0).entries())
        hours.push({
          start,
          items: new Map([
            [
              key,
              {
                minimum: minimum?.[row] ?? 0,
                maximum: maximum?.[row] ?? 0,
                sum: sum?.[row] ?? 0,
                count: count?.[row] ?? 0,
                first: first?.[row] ?? 0,
                last: last?.[row] ?? 0,
              },
            ],
          ]),
        })
    }
    at += rows * COLUMNS
  }
  return hours
}
