import type uPlot from 'uplot'
import { colour, faint, seriesColour } from '../../chart/colours.ts'
import { LEVEL_SHAPES } from '../../design/levels.ts'
import type { Mark, Points } from './chart-data.ts'
import type { Line } from './lines.ts'
import { shortRuns } from './short-runs.ts'
import { spansOf, type Band } from './thresholds.ts'

export type ShownBand = Band & { scale: string; label: string }
export type ShownAlarm = { time: number; level: number }
export type ShownMark = Mark & { scale: string }

const levelColour = (level: number): string => colour(`--level-${Math.min(Math.max(level, 1), 5)}`)

/** Draws within the axes. */
function inside(plot: uPlot, draw: (context: CanvasRenderingContext2D) => void): void {
  const { ctx, bbox } = plot
  ctx.save()
  ctx.beginPath()
  ctx.rect(bbox.left, bbox.top, bbox.width, bbox.height)
  ctx.clip()
  draw(ctx)
  ctx.restore()
}

/** Thresholds below the lines: a band where values violate them, and a line at each end. */
export function drawBands(plot: uPlot, bands: readonly ShownBand[]): void {
  const { min, max } = plot.scales['x']!
  if (min === undefined || max === undefined || min === null || max === null) return
  inside(plot, (context) => {
    for (const band of bands) {
      const scale = plot.scales[band.scale]
      if (scale?.min === undefined || scale.max === undefined) continue
      const y = (value: number): number =>
        plot.valToPos(Math.min(Math.max(value, scale.min!), scale.max!), band.scale, true)
      const [top, bottom] = [y(band.high), y(band.low)]
      const ink = levelColour(band.level)
      for (const span of spansOf(band, min, max)) {
        const [left, right] = [
          plot.valToPos(span.from, 'x', true),
          plot.valToPos(span.to, 'x', true),
        ]
        context.fillStyle = faint(ink, 0.1)
        context.fillRect(left, top, right - left, bottom - top)
        context.strokeStyle = ink
        context.lineWidth = devicePixelRatio
        context.setLineDash([6 * devicePixelRatio, 3 * devicePixelRatio])
        context.textAlign = 'left'
        context.textBaseline = 'alphabetic'
        context.fillStyle = ink
        context.font = `${11 * devicePixelRatio}px system-ui, sans-serif`
        for (const end of [band.low, band.high]) {
          if (!(end > scale.min! && end < scale.max!)) continue
          context.beginPath()
          context.moveTo(left, y(end))
          context.lineTo(right, y(end))
          context.stroke()
          const isUpper = end === band.low
          const gap = (isUpper ? -4 : 13) * devicePixelRatio
          context.fillText(band.label, left + 6 * devicePixelRatio, y(end) + gap)
        }
      }
    }
  })
}

/** Alarms as the shape of their level at the upper end of a thin line. */
export function drawAlarms(plot: uPlot, alarms: readonly ShownAlarm[]): void {
  const size = 14 * devicePixelRatio
  inside(plot, (context) => {
    for (const { time, level } of alarms) {
      const x = plot.valToPos(time, 'x', true)
      const ink = levelColour(level)
      context.strokeStyle = faint(ink, 0.6)
      context.lineWidth = devicePixelRatio
      context.beginPath()
      context.moveTo(x, plot.bbox.top)
      context.lineTo(x, plot.bbox.top + plot.bbox.height)
      context.stroke()
      context.save()
      context.translate(x - size / 2, plot.bbox.top)
      context.scale(size / 20, size / 20)
      context.fillStyle = ink
      const outline = new Path2D(LEVEL_SHAPES[Math.min(Math.max(level, 1), 5)])
      // oxlint-disable-next-line unicorn/no-array-fill-with-reference-type -- a path of a canvas
      context.fill(outline)
      context.fillStyle = colour('--surface')
      context.font = '700 12px system-ui, sans-serif'
      context.textAlign = 'center'
      context.textBaseline = 'alphabetic'
      context.fillText(String(level), 10, level === 2 ? 15.5 : 14)
      context.restore()
    }
  })
}

/** Runs that are too short for a line: from their lowest to their highest value, a dot at least. */
export function drawShortRuns(plot: uPlot, drawn: readonly { line: Line; points: Points }[]): void {
  const size = 2.5 * devicePixelRatio
  inside(plot, (context) => {
    context.lineWidth = 2 * devicePixelRatio
    for (const { line, points } of drawn) {
      const scale = `y${line.axis}`
      const ink = seriesColour(line.colour)
      context.strokeStyle = ink
      context.fillStyle = ink
      const pixelOf = (time: number): number => plot.valToPos(time, 'x', true)
      for (const { time, low, high } of shortRuns(points, pixelOf, 2 * size)) {
        const x = pixelOf(time)
        const [top, bottom] = [plot.valToPos(high, scale, true), plot.valToPos(low, scale, true)]
        context.beginPath()
        if (bottom - top < 2 * size) {
          context.arc(x, (top + bottom) / 2, size, 0, 2 * Math.PI)
          context.fill()
        } else {
          context.moveTo(x, top)
          context.lineTo(x, bottom)
          context.stroke()
        }
      }
    }
  })
}

/** Values that are not simply good: a ring where one is uncertain, a cross where it is bad. */
export function drawMarks(plot: uPlot, marks: readonly ShownMark[]): void {
  const size = 4 * devicePixelRatio
  inside(plot, (context) => {
    context.lineWidth = 1.5 * devicePixelRatio
    for (const mark of marks) {
      const x = plot.valToPos(mark.time, 'x', true)
      const y = plot.valToPos(mark.value, mark.scale, true)
      context.strokeStyle = mark.quality === 'bad' ? colour('--danger') : colour('--warning')
      context.beginPath()
      if (mark.quality === 'bad') {
        context.moveTo(x - size, y - size)
        context.lineTo(x + size, y + size)
        context.moveTo(x + size, y - size)
        context.lineTo(x - size, y + size)
      } else context.arc(x, y, size * 1.2, 0, 2 * Math.PI)
      context.stroke()
    }
  })
}
