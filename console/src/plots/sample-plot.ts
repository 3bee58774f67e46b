import { SamplePyramid } from './sample-pyramid.ts'
import type { SampleRange } from './sample-range.ts'
import { decimalsOf, roundStep, ticks } from './ticks.ts'

export type PlotColours = { line: string; grid: string; text: string; cursor: string; mark: string }

export type Samples = {
  samples: Float64Array
  /** Samples for each unit of the axis below: a second of a waveform, a hertz of a spectrum. */
  rate: number
}

/** A place that is pointed out, such as a peak. */
export type Mark = { sample: number; label: string }

export type Drawing = {
  range: SampleRange
  /** Width and height in pixels of CSS. */
  width: number
  height: number
  /** Pixels of the screen for each of CSS. */
  density: number
  colours: PlotColours
  /** The sample below the pointer. */
  cursor: number | undefined
  marks: readonly Mark[]
  formatNumber(value: number, decimals: number): string
}

export const MARGIN = { left: 72, right: 16, top: 8, bottom: 24 }
const PIXELS_A_TICK = { across: 72, up: 36 }
/** Labels of marks that are nearer to one before them are left out. */
const MARK_PIXELS = 14
/** Samples are drawn as a line where there are no more than this for each pixel. */
const LINE_SAMPLES = 2

/**
 * Draws any number of samples, a waveform or a spectrum: a line where samples are apart, else the
 * extremes below each pixel.
 *
 * The time of a drawing depends on its pixels, not on the samples that it shows.
 */
export class SamplePlot {
  readonly #pyramid: SamplePyramid
  readonly #rate: number

  constructor({ samples, rate }: Samples) {
    this.#pyramid = new SamplePyramid(samples)
    this.#rate = rate
  }

  /** The lowest and the highest of samples `from` to before `to`. */
  extremes(from: number, to: number): { low: number; high: number } {
    return this.#pyramid.extremes(from, to)
  }

  draw(context: CanvasRenderingContext2D, drawing: Drawing): void {
    const { range, width, height, density, colours } = drawing
    context.setTransform(density, 0, 0, density, 0, 0)
    context.clearRect(0, 0, width, height)
    const inner = { width: innerWidth(width), height: height - MARGIN.top - MARGIN.bottom }
    if (inner.width <= 0 || inner.height <= 0) return
    const { low, high } = this.#bounds(range)
    const x = (sample: number) =>
      MARGIN.left + ((sample - range.from) / (range.to - range.from)) * inner.width
    const y = (value: number) => MARGIN.top + ((high - value) / (high - low)) * inner.height
    this.#drawAxes(context, drawing, { low, high, x, y })
    context.save()
    context.beginPath()
    context.rect(MARGIN.left, MARGIN.top, inner.width, inner.height)
    context.clip()
    context.strokeStyle = colours.line
    context.lineWidth = 1
    const isLine = range.to - range.from <= LINE_SAMPLES * inner.width
    if (isLine) this.#drawLine(context, range, x, y)
    else this.#drawExtremes(context, range, inner.width, y)
    this.#drawMarks(context, drawing, x)
    this.#drawCursor(context, drawing, { x, y })
    context.restore()
  }

  /** The lowest and the highest value of a range, and some room. */
  #bounds({ from, to }: SampleRange): { low: number; high: number } {
    const { low, high } = this.#pyramid.extremes(Math.floor(from), Math.ceil(to))
    if (!(high >= low)) return { low: -1, high: 1 }
    const room = high > low ? (high - low) * 0.05 : Math.abs(high) * 0.05 || 1
    return { low: low - room, high: high + room }
  }

  #drawLine(
    context: CanvasRenderingContext2D,
    { from, to }: SampleRange,
    x: Scale,
    y: Scale,
  ): void {
    const { samples } = this.#pyramid
    const first = Math.max(0, Math.floor(from) - 1)
    const last = Math.min(samples.length - 1, Math.ceil(to) + 1)
    context.beginPath()
    for (let at = first; at <= last; at++) context.lineTo(x(at), y(samples[at]!))
    context.stroke()
  }

  #drawExtremes(
    context: CanvasRenderingContext2D,
    { from, to }: SampleRange,
    width: number,
    y: Scale,
  ): void {
    const each = (to - from) / width
    context.beginPath()
    for (let pixel = 0; pixel < width; pixel++) {
      const start = Math.floor(from + pixel * each)
      // One more, so that neighbours meet.
      const { low, high } = this.#pyramid.extremes(start, Math.floor(from + (pixel + 1) * each) + 1)
      if (high < low) continue
      context.moveTo(MARGIN.left + pixel + 0.5, y(high) - 0.5)
      context.lineTo(MARGIN.left + pixel + 0.5, y(low) + 0.5)
    }
    context.stroke()
  }

  #drawAxes(
    context: CanvasRenderingContext2D,
    drawing: Drawing,
    { low, high, x, y }: Scales,
  ): void {
    const { range, width, height, colours, formatNumber } = drawing
    const across = ticks(
      range.from / this.#rate,
      range.to / this.#rate,
      innerWidth(width) / PIXELS_A_TICK.across,
    )
    const up = ticks(low, high, height / PIXELS_A_TICK.up)
    context.font = '12px system-ui, sans-serif'
    context.fillStyle = colours.text
    context.strokeStyle = colours.grid
    context.lineWidth = 1
    context.beginPath()
    for (const tick of across) {
      const place = Math.round(x(tick * this.#rate)) + 0.5
      context.moveTo(place, MARGIN.top)
      context.lineTo(place, height - MARGIN.bottom)
    }
    for (const tick of up) {
      const place = Math.round(y(tick)) + 0.5
      context.moveTo(MARGIN.left, place)
      context.lineTo(width - MARGIN.right, place)
    }
    context.stroke()
    context.textAlign = 'center'
    context.textBaseline = 'top'
    const stepAcross = stepOf(across)
    for (const tick of across)
      context.fillText(
        formatNumber(tick, decimalsOf(stepAcross)),
        x(tick * this.#rate),
        height - MARGIN.bottom + 6,
      )
    context.textAlign = 'right'
    context.textBaseline = 'middle'
    const stepUp = stepOf(up)
    for (const tick of up)
      context.fillText(formatNumber(tick, decimalsOf(stepUp)), MARGIN.left - 6, y(tick))
  }

  #drawMarks(
    context: CanvasRenderingContext2D,
    { marks, height, colours }: Drawing,
    x: Scale,
  ): void {
    context.font = '600 12px system-ui, sans-serif'
    context.textAlign = 'center'
    context.textBaseline = 'top'
    context.fillStyle = context.strokeStyle = colours.mark
    context.setLineDash([2, 3])
    context.beginPath()
    for (const { sample } of marks) {
      context.moveTo(x(sample), MARGIN.top + 16)
      context.lineTo(x(sample), height - MARGIN.bottom)
    }
    context.stroke()
    context.setLineDash([])
    const written: number[] = []
    for (const { sample, label } of marks) {
      const place = x(sample)
      if (written.some((other) => Math.abs(other - place) < MARK_PIXELS)) continue
      written.push(place)
      context.fillText(label, place, MARGIN.top + 1)
    }
  }

  #drawCursor(
    context: CanvasRenderingContext2D,
    { cursor, height, colours }: Drawing,
    { x, y }: Pick<Scales, 'x' | 'y'>,
  ): void {
    const value = cursor === undefined ? undefined : this.#pyramid.samples[cursor]
    if (cursor === undefined || value === undefined) return
    context.strokeStyle = colours.cursor
    context.beginPath()
    context.moveTo(x(cursor), MARGIN.top)
    context.lineTo(x(cursor), height - MARGIN.bottom)
    context.stroke()
    context.beginPath()
    context.arc(x(cursor), y(value), 3, 0, 2 * Math.PI)
    context.stroke()
  }
}

type Scale = (value: number) => number
type Scales = { low: number; high: number; x: Scale; y: Scale }

/** The pixels across that show samples. */
export const innerWidth = (width: number): number => Math.floor(width - MARGIN.left - MARGIN.right)

const stepOf = ([first = 0, second = first + roundStep(1)]: number[]): number => second - first
