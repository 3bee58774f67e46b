import type { Series, ThresholdBatch } from '@plumbline/client'
import {
  marksOf,
  pointsOfRecords,
  pointsOfSeries,
  withGaps,
  type Points,
  type StationRecords,
} from './chart-data.ts'
import type { ShownBand, ShownMark } from './draw.ts'
import type { Line } from './lines.ts'
import { bandsOf } from './thresholds.ts'

/** A line with its points. */
export type Drawn = { line: Line; points: Points }

type Read = { series: Series | undefined; single: readonly StationRecords[] | undefined }

const scaleOf = ({ axis }: Line): string => `y${axis}`

const recordsOf = ({ stationId }: Line, single: Read['single']) =>
  single?.find((one) => one.stationId === stationId)?.records

/** Lines with the points of single records, or else of summaries; those that have none are left out. */
export function drawnOf(lines: readonly Line[], { series, single }: Read): Drawn[] {
  return lines.flatMap((line) => {
    const records = recordsOf(line, single)
    const points = records ? pointsOfRecords(records, line) : series && pointsOfSeries(series, line)
    return points === undefined ? [] : [{ line, points: withGaps(points) }]
  })
}

/** The thresholds of lines, each with its label. */
export function bandsOfLines(
  lines: readonly Line[],
  batches: readonly ThresholdBatch[],
  labelOf: (level: number, line: Line) => string,
): ShownBand[] {
  return lines.flatMap((line) =>
    bandsOf(batches, line.stationId, line.itemName).map((band) => ({
      ...band,
      scale: scaleOf(line),
      label: labelOf(band.level, line),
    })),
  )
}

/** The marks of values that are not simply good, where single records are drawn. */
export function marksOfLines(lines: readonly Line[], single: Read['single']): ShownMark[] {
  return lines.flatMap((line) => {
    const records = recordsOf(line, single)
    const marks = records ? marksOf(records, line) : []
    return marks.map((mark) => ({ ...mark, scale: scaleOf(line) }))
  })
}
